#include "support/gate.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <exception>
#include <stdexcept>

#include "support/deadline.h"

namespace stagecraft::testing {

Gate::Gate(const ScratchFolder& folder, const std::string& name)
    : name_(name), leave_(folder.path(name + ".go")) {
  const std::string arrive = folder.path(name + ".in");
  if (mkfifo(arrive.c_str(), 0600) != 0 || mkfifo(leave_.c_str(), 0600) != 0) {
    throw std::runtime_error("mkfifo failed for gate " + name);
  }
  // Without waiting for the handler: it can arrive at any time, and we can look whether it has.
  arrival_ = open(arrive.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (arrival_ < 0) throw std::runtime_error("cannot open " + arrive);
}

Gate::~Gate() {
  try {
    if (!let_go_ && entered()) let_go();
  } catch (const std::exception&) {
    // The server has ended unexpectedly, of which others will complain.
  }
  close(arrival_);
}

// A FIFO says POLLHUP when those who wrote have closed it, and not before one had opened it.
bool Gate::entered() const {
  pollfd entry{.fd = arrival_, .events = POLLIN, .revents = 0};
  return poll(&entry, 1, 0) == 1;
}

void Gate::wait_until_entered() const {
  const Deadline deadline;
  pollfd entry{.fd = arrival_, .events = POLLIN, .revents = 0};
  while (poll(&entry, 1, deadline.remaining_ms()) != 1) {
    if (deadline.passed()) throw std::runtime_error("no handler came to gate " + name_);
  }
}

void Gate::let_go() {
  const Deadline deadline;
  int leave = -1;
  // Until the handler has the FIFO open, which it is about to.
  while ((leave = open(leave_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
    if (deadline.passed()) throw std::runtime_error("no handler waits in gate " + name_);
    sched_yield();
  }
  close(leave);
  let_go_ = true;
}

}  // namespace stagecraft::testing
