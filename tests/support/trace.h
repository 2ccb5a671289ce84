// The events that a server tells of in its --trace file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::testing {

/// One line of the file.
struct TraceEvent {
  std::string name;
  std::string line;

  /// The value of a field that is a number; throws std::runtime_error if it is not there.
  std::int64_t number(std::string_view field) const;
};

/// Reads the trace of a server that was started with `--trace FILE`, while it is being written.
class Trace {
 public:
  explicit Trace(std::string file) : file_(std::move(file)) {}

  /// All events so far.
  std::vector<TraceEvent> events() const;
  /// Those of this name.
  std::vector<TraceEvent> events(std::string_view name) const;

  /// Waits until there are at least `count` events of this name. Throws std::runtime_error.
  void wait_for(std::string_view name, std::size_t count = 1) const;

 private:
  std::string file_;
};

}  // namespace stagecraft::testing
