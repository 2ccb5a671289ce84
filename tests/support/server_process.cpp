#include "support/server_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "catch.h"
#include "support/deadline.h"
#include "support/printable.h"

namespace stagecraft::testing {
namespace {

constexpr std::string_view ready_start = "listening on http://";

// In the child, between fork and exec: only what signal-safety(7) allows.
[[noreturn]] void become(char* const* words, int output, int errors, pid_t parent) {
  // The test may be killed, for one by ctest's time limit: its server shall not outlive it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(126);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execv(words[0], words);
  _exit(127);
}

}  // namespace

ServerProcess::ServerProcess(const std::string& program, const std::vector<std::string>& arguments)
    : program_(program) {
  start(program, arguments);
  try {
    await_ready_line();
  } catch (...) {
    if (!collected_) {
      kill(process_, SIGKILL);
      collect();
    }
    close(output_);
    close(errors_);
    throw;
  }
}

ServerProcess::~ServerProcess() {
  try {
    if (!stopped_) stop();
  } catch (const std::exception& error) {
    if (std::uncaught_exceptions() == 0) FAIL_CHECK(error.what());
  }
  close(output_);
  close(errors_);
}

void ServerProcess::start(const std::string& program, const std::vector<std::string>& arguments) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  output_ = pipe_ends[0];
  errors_ = memfd_create("stderr", MFD_CLOEXEC);
  std::vector<std::string> copies{program};
  copies.insert(copies.end(), arguments.begin(), arguments.end());
  std::vector<char*> words;
  for (std::string& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) become(words.data(), pipe_ends[1], errors_, parent);
  // Ours must go, or the end of the output would never be seen.
  close(pipe_ends[1]);
  if (process_ < 0) throw std::runtime_error("fork failed");
}

void ServerProcess::await_ready_line() {
  const Deadline deadline;
  std::size_t end = std::string::npos;
  while ((end = output_text_.find('\n')) == std::string::npos) {
    pollfd entry{.fd = output_, .events = POLLIN, .revents = 0};
    const int ready = poll(&entry, 1, deadline.remaining_ms());
    if (ready == 0 && deadline.passed()) fail("no ready line came in time");
    if (ready <= 0) continue;
    std::array<char, 512> buffer{};
    const ssize_t count = read(output_, buffer.data(), buffer.size());
    if (count == 0) {
      collect();
      fail("the program ended (" + end_text() + ") before its ready line");
    }
    if (count > 0) output_text_.append(buffer.data(), static_cast<std::size_t>(count));
  }
  const std::string line = output_text_.substr(0, end);
  output_text_.erase(0, end + 1);
  if (line.substr(0, ready_start.size()) != ready_start) {
    fail("the first line of stdout is not `listening on http://ADDRESS:PORT`: `" + printable(line) +
         "`");
  }
  try {
    endpoint_ = parse_endpoint(std::string_view(line).substr(ready_start.size()));
  } catch (const std::invalid_argument& error) {
    fail(std::string("the ready line has no address: ") + error.what());
  }
}

bool ServerProcess::await_end_of_output() {
  const Deadline deadline;
  for (;;) {
    pollfd entry{.fd = output_, .events = POLLIN, .revents = 0};
    const int ready = poll(&entry, 1, deadline.remaining_ms());
    if (ready == 0 && deadline.passed()) return false;
    if (ready <= 0) continue;
    std::array<char, 4096> buffer{};
    const ssize_t count = read(output_, buffer.data(), buffer.size());
    if (count == 0) return true;
    if (count > 0) output_text_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

void ServerProcess::collect() {
  while (waitpid(process_, &end_, 0) < 0 && errno == EINTR) {
  }
  collected_ = true;
}

bool ServerProcess::running() {
  if (collected_) return false;
  // A process that ends closes its stdout before the kernel says that it has ended.
  pollfd entry{.fd = output_, .events = 0, .revents = 0};
  if (poll(&entry, 1, 0) == 1 && (entry.revents & POLLHUP) != 0) collect();
  return !collected_;
}

void ServerProcess::stop() {
  stopped_ = true;
  if (!running()) fail("the program had ended by itself: " + end_text());
  kill(process_, SIGTERM);
  const bool in_time = await_end_of_output();
  if (!in_time) kill(process_, SIGKILL);
  collect();
  if (!in_time) fail("the program did not end in time after SIGTERM");
  if (!WIFEXITED(end_) || WEXITSTATUS(end_) != 0) {
    fail("after SIGTERM the program ended with " + end_text() + " instead of exit status 0");
  }
  if (!output_text_.empty()) {
    fail("the program wrote more than its ready line to stdout: `" + printable(output_text_) + "`");
  }
}

std::string ServerProcess::end_text() const {
  if (WIFEXITED(end_)) return "exit status " + std::to_string(WEXITSTATUS(end_));
  const int signal = WTERMSIG(end_);
  return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

std::string ServerProcess::errors() const {
  std::string text;
  std::array<char, 4096> buffer{};
  ssize_t count = 0;
  while ((count = pread(errors_, buffer.data(), buffer.size(), static_cast<off_t>(text.size()))) >
         0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

void ServerProcess::fail(const std::string& what) const {
  const std::string text = errors();
  throw std::runtime_error(program_ + ": " + what +
                           (text.empty() ? "\nstderr is empty" : "\nstderr:\n" + text));
}

}  // namespace stagecraft::testing
