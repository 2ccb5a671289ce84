// A guard that does not guard would make every test that uses it pass.
#include "unit/http/guarded_bytes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "catch.h"

using stagecraft::testing::GuardedBytes;

namespace {

// Whether a process that reads the byte at P dies of it.
bool reading_kills(const char* p) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGSEGV, SIG_DFL);  // not the test framework's handler
    const volatile char byte = *p;
    ::_exit(byte == '\0' ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

}  // namespace

TEST_CASE("Guarded bytes can be read, and the byte next to them cannot") {
  GuardedBytes block(10);
  CHECK(block.capacity() >= 10);
  const std::string_view bytes = block.hold("hello");
  CHECK(bytes == "hello");
  CHECK_FALSE(reading_kills(bytes.data()));
  CHECK_FALSE(reading_kills(&bytes.back()));
  CHECK(reading_kills(bytes.data() + bytes.size()));
  CHECK(reading_kills(block.hold("").data()));

  const std::string_view at_front = block.hold_at_front("hello");
  CHECK(at_front == "hello");
  CHECK_FALSE(reading_kills(at_front.data()));
  CHECK(reading_kills(at_front.data() - 1));
}

TEST_CASE("Guarded bytes that are replaced leave nothing behind") {
  GuardedBytes block(10);
  const std::string_view before = block.hold("hello");
  const std::string_view after = block.hold("hi");
  CHECK(after == "hi");
  CHECK(before == "\x01\x01\x01hi");
}
