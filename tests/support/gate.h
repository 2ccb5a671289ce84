// The test's side of a gate: a door in a handler that the test opens.
#pragma once

#include <string>

#include "support/scratch_folder.h"

namespace stagecraft::testing {

/// A gate of a server that was started with `--gates FOLDER`. Its handler waits inside from
/// entered() until let_go(), so that a test decides the order of events instead of hoping for it.
/// For one request; used by one thread.
class Gate {
 public:
  /// Makes the gate's two FIFOs. Throws std::runtime_error.
  Gate(const ScratchFolder& folder, const std::string& name);
  /// let_go(), if a handler is inside: no server shall wait for a test that is over.
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// The target of the request that goes through it.
  std::string target() const { return "/gate?name=" + name_; }

  /// Whether the handler has arrived. Does not wait.
  bool entered() const;
  /// Waits until it has; throws std::runtime_error if it does not come in time.
  void wait_until_entered() const;

  /// Lets the handler go on, which must have arrived. Throws std::runtime_error if it has gone.
  void let_go();

  /// The server has ended, and there is nobody to let go.
  void forget() { let_go_ = true; }

 private:
  std::string name_;
  std::string leave_;  ///< path of the FIFO that the handler reads: opened, it is free to go
  int arrival_ = -1;   ///< reading end of the FIFO that the handler opens when it arrives
  bool let_go_ = false;
};

}  // namespace stagecraft::testing
