// Doors at which a request waits until a test lets it go on.
#pragma once

#include <string>
#include <string_view>

#include "http/status.h"
#include "net/unique_fd.h"

namespace stagecraft {

/// Makes the order of events something that a test decides, instead of something it hopes for by
/// waiting. A gate G is a pair of FIFOs, G.in and G.go, in one folder:
///
///     the request                               the test
///     opens G.in for writing      <-------->    opens G.in for reading: the request has arrived
///     opens G.go for reading      <-------->    opens G.go for writing: the request may go on
///
/// Opening one end of a FIFO waits for whoever opens the other (man 7 fifo). Any thread.
class Gates {
 public:
  /// Throws std::system_error that names the folder if it cannot be opened.
  explicit Gates(const std::string& folder);

  /// Passes the gate: waits on the calling thread, without end. Status::ok when it has been let go,
  /// at once Status::not_found if `name` is no name of a gate or has no FIFOs.
  Status pass(std::string_view name) const;

 private:
  UniqueFd folder_;
};

/// 1 to 64 letters, digits, '_' and '-': nothing that could lead out of the folder.
bool is_gate_name(std::string_view name);

}  // namespace stagecraft
