#include "support/trace.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "support/deadline.h"
#include "support/requests.h"

namespace stagecraft::testing {

std::int64_t TraceEvent::number(std::string_view field) const { return json_number(line, field); }

std::vector<TraceEvent> Trace::events() const {
  std::vector<TraceEvent> all;
  std::ifstream in(file_);
  // Without its end a line is not written to the end yet.
  for (std::string line; std::getline(in, line) && !in.eof();) {
    constexpr std::string_view start = "\"event\":\"";
    const std::size_t found = line.find(start);
    if (found == std::string::npos) throw std::runtime_error("no event in the trace: " + line);
    const std::size_t name = found + start.size();
    all.push_back({line.substr(name, line.find('"', name) - name), line});
  }
  return all;
}

std::vector<TraceEvent> Trace::events(std::string_view name) const {
  std::vector<TraceEvent> some = events();
  some.erase(std::remove_if(some.begin(), some.end(),
                            [name](const TraceEvent& event) { return event.name != name; }),
             some.end());
  return some;
}

void Trace::wait_for(std::string_view name, std::size_t count) const {
  const Deadline deadline;
  while (events(name).size() < count) {
    if (deadline.passed()) {
      throw std::runtime_error("the trace has fewer than " + std::to_string(count) + " `" +
                               std::string(name) + "`");
    }
    sched_yield();
  }
}

}  // namespace stagecraft::testing
