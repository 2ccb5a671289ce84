#include "support/child_process.h"

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
#include <stdexcept>

namespace stagecraft::testing {
namespace {

// In the child, between fork and exec: only what signal-safety(7) allows.
[[noreturn]] void become(char* const* words, int output, int errors, pid_t parent) {
  // The test may be killed, for one by ctest's time limit: the program shall not outlive it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(126);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execv(words[0], words);
  _exit(127);
}

}  // namespace

ChildProcess::ChildProcess(const std::string& program, const std::vector<std::string>& arguments) {
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

ChildProcess::~ChildProcess() {
  if (!collected_) {
    kill(process_, SIGKILL);
    collect();
  }
  close(output_);
  close(errors_);
}

ChildProcess::Read ChildProcess::read_output(const Deadline& deadline) {
  for (;;) {
    pollfd entry{.fd = output_, .events = POLLIN, .revents = 0};
    const int ready = poll(&entry, 1, deadline.remaining_ms());
    if (ready == 0 && deadline.passed()) return Read::timeout;
    if (ready <= 0) continue;
    std::array<char, 4096> buffer{};
    const ssize_t count = read(output_, buffer.data(), buffer.size());
    if (count > 0) {
      output_text_.append(buffer.data(), static_cast<std::size_t>(count));
      return Read::more;
    }
    if (count == 0) {
      collect();
      return Read::ended;
    }
  }
}

bool ChildProcess::wait_for_end(const Deadline& deadline) {
  if (collected_) return true;
  for (;;) {
    switch (read_output(deadline)) {
      case Read::more:
        break;
      case Read::ended:
        return true;
      case Read::timeout:
        return false;
    }
  }
}

void ChildProcess::send_signal(int signal) const {
  if (!collected_) kill(process_, signal);
}

bool ChildProcess::running() {
  if (collected_) return false;
  // A process that ends closes its stdout before the kernel says that it has ended.
  pollfd entry{.fd = output_, .events = 0, .revents = 0};
  if (poll(&entry, 1, 0) == 1 && (entry.revents & POLLHUP) != 0) collect();
  return !collected_;
}

void ChildProcess::collect() {
  while (!collected_ && waitpid(process_, &end_, 0) < 0 && errno == EINTR) {
  }
  collected_ = true;
}

std::string ChildProcess::end_text() const {
  if (WIFEXITED(end_)) return "exit status " + std::to_string(WEXITSTATUS(end_));
  const int signal = WTERMSIG(end_);
  return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

int ChildProcess::exit_status() const {
  return collected_ && WIFEXITED(end_) ? WEXITSTATUS(end_) : -1;
}

std::string ChildProcess::errors() const {
  std::string text;
  std::array<char, 4096> buffer{};
  ssize_t count = 0;
  while ((count = pread(errors_, buffer.data(), buffer.size(), static_cast<off_t>(text.size()))) >
         0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace stagecraft::testing
