// A program started for a test, its output and its end.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/deadline.h"

namespace stagecraft::testing {

/// A child process with its stdout and stderr at hand. Used by one thread. One that still runs when
/// this object goes is killed; and so is one whose test is killed.
class ChildProcess {
 public:
  /// Starts `program` with `arguments`; its stdin is ours. Throws std::runtime_error if there is no
  /// process or descriptor left; a program that does not exist ends with status 127.
  ChildProcess(const std::string& program, const std::vector<std::string>& arguments);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Read {
    more,    ///< something was added to output()
    ended,   ///< stdout was closed, which is the end of the process: collected
    timeout  ///< neither until the deadline
  };
  /// Waits for more of its stdout or its end.
  Read read_output(const Deadline& deadline);

  /// Waits for its end and reads its stdout meanwhile; false if it does not come in time.
  bool wait_for_end(const Deadline& deadline);

  /// Sends it a signal, if it runs.
  void send_signal(int signal) const;

  /// False once it has ended. Does not wait.
  bool running();

  pid_t process() const { return process_; }

  /// How it ended, as `exit status 1` or `signal 11 (Segmentation fault)`; only when it has.
  std::string end_text() const;

  /// Its exit status; -1 if a signal ended it, or nothing has yet.
  int exit_status() const;

  /// What it has written to stdout, as far as it was read.
  const std::string& output() const { return output_text_; }

  /// What it has written to stderr so far.
  std::string errors() const;

 private:
  void collect();

  pid_t process_ = -1;
  int output_ = -1;  ///< reading end of its stdout
  int errors_ = -1;  ///< an anonymous file that is its stderr: never full, readable at any time
  int end_ = 0;      ///< as waitpid(2) stores it, once collected_
  bool collected_ = false;
  std::string output_text_;
};

}  // namespace stagecraft::testing
