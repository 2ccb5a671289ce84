// The table of parsing traps, traps.tsv, made into probes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/probe.h"

namespace stagecraft::conformance {

/// A request that servers are known to read wrongly.
struct Trap {
  std::string name;  ///< `family/what`
  Probe probe;
};

/// The traps of one family, in the order of the table. Throws std::runtime_error if a row is
/// malformed or the family has none.
std::vector<Trap> traps_of(std::string_view family);

/// How many rows the table has.
std::size_t trap_count();

/// A request as the table writes it, made into bytes: `\r`, `\n`, `\t`, `\\`, `\xNN`;
/// `{GET}` and `{POST}`: the request line of `/` and Host; `{CHUNKED}`: the whole head of a POST
/// with chunks; `{1000*a}`: repeated; `{|}`: a cut; `{answer}`: wait for an answer; `{FIN}` at the
/// end: half-close instead of a sentinel.
void read_request(std::string_view text, Trap& trap);

}  // namespace stagecraft::conformance
