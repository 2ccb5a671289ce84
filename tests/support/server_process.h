// A server program started for a test.
#pragma once

#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/client.h"

namespace stagecraft::testing {

/// A server as a child process, from its ready line to a clean end. Used by one thread.
///
/// The program obeys the contract of every stage: it prints `listening on http://ADDRESS:PORT` on
/// one line of stdout when it accepts, nothing else there, and on SIGTERM it drains and exits 0.
class ServerProcess {
 public:
  /// Starts `program` with `arguments` and waits for its ready line. Throws std::runtime_error with
  /// what the program wrote to stderr if the line does not come.
  ServerProcess(const std::string& program, const std::vector<std::string>& arguments);

  /// stop(), if nobody did; what that throws becomes a failed check of the running test case.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  const Endpoint& endpoint() const { return endpoint_; }
  pid_t process() const { return child_.process(); }

  /// False once it has ended by itself: with the reason, see end_text().
  bool running() { return child_.running(); }

  /// Ends it by `signal` and waits. Throws std::runtime_error if it had ended before, does not end
  /// in time (then it is killed), does not exit with 0, or wrote more than its line to stdout.
  /// Once only.
  void stop(int signal);
  /// The same by SIGTERM.
  void stop();

  /// Ends it by SIGKILL, if it still runs, and complains of nothing: for one that has failed
  /// already.
  void abandon();

  /// Waits for its end, however it comes, which is then no fault: by itself, or by a signal that
  /// the test has sent. Returns end_text(), and what stands on stderr unless it succeeded. Throws
  /// std::runtime_error if it does not end in time.
  std::string wait_for_end();

  /// How it ended, as `exit status 1` or `signal 11 (Segmentation fault)`.
  std::string end_text() const { return child_.end_text(); }

  /// What it has written to stderr so far.
  std::string errors() const { return child_.errors(); }

 private:
  void await_ready_line();
  [[noreturn]] void fail(const std::string& what) const;

  std::string program_;
  ChildProcess child_;
  bool stopped_ = false;  ///< stop() was called, so that its complaint is known
  std::string ready_line_;
  Endpoint endpoint_;
};

}  // namespace stagecraft::testing
