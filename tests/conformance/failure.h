// What a failed probe tells its reader.
#pragma once

#include <string>
#include <string_view>

#include "support/client.h"

namespace stagecraft::conformance {

/// What went wrong with a probe, in its parts.
struct Complaint {
  std::string what;      ///< a sentence without its full stop
  std::string expected;  ///< empty: there is nothing to compare
  std::string got;
  std::string required;  ///< requirement_text() of what it breaks
  std::string exchange;  ///< Client::conversation()
  std::string cause;     ///< the likely cause; empty: nobody knows
  std::string request;   ///< the bytes that were sent, to send them again
};

/// The parts, one below the other: expected over got, with a caret under the first character that
/// differs, and the commands to paste (see nc_command and curl_command) for a server that listens
/// at `server`.
std::string complaint_text(const Complaint& complaint, const testing::Endpoint& server);

/// Two lines, `expected:` and `got:`, and a caret below the first byte that differs. Of long texts
/// only the neighbourhood of that byte is shown.
std::string difference_text(std::string_view expected, std::string_view got);

/// What makes servers answer `got` where `expected` is due, as the texts of outcomes; empty if
/// there is no usual suspect.
std::string likely_cause(std::string_view expected, std::string_view got);

/// A shell command that sends `request` by nc(1) and prints the answer; empty if too long to paste.
std::string nc_command(std::string_view request, const testing::Endpoint& server);

/// The same by curl(1); empty if curl cannot send that: it writes no malformed request, nor two.
std::string curl_command(std::string_view request, const testing::Endpoint& server);

}  // namespace stagecraft::conformance
