#include "app/inherited_socket.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace stagecraft {

namespace {

constexpr int first_passed_descriptor = 3;  // SD_LISTEN_FDS_START

std::string take_variable(const char* name) {
  const char* const value = std::getenv(name);
  const std::string taken = value == nullptr ? "" : value;
  ::unsetenv(name);
  return taken;
}

}  // namespace

int inherited_socket() {
  const std::string process = take_variable("LISTEN_PID");
  const std::string count = take_variable("LISTEN_FDS");
  take_variable("LISTEN_FDNAMES");
  if (count.empty() || process != std::to_string(::getpid())) return -1;
  if (count != "1") {
    throw std::runtime_error("there are " + count + " sockets to listen on; one is what it takes");
  }
  ::fcntl(first_passed_descriptor, F_SETFD, FD_CLOEXEC);
  return first_passed_descriptor;
}

}  // namespace stagecraft
