// What a request target says (RFC 9112 section 3.2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/field_parser.h"
#include "http/request.h"
#include "http/status.h"

namespace stagecraft {

/// A target taken apart. The pieces count from the target's first byte.
struct RequestTarget {
  Piece authority;  ///< of the absolute form; empty in the others
  Piece path;       ///< as sent; "*" in the asterisk form
  Piece query;
  bool path_decoded = false;  ///< the path differs from what was sent and is in the given string
};

/// Takes the target of `head` apart in the form that belongs to the method, and decodes its path
/// into `decoded` if decoding changes it. Returns Status::none, or the answer and in `reason` why:
/// 400 for anything not in the grammar, for a path that leaves the root or that two readers could
/// read differently, 421 for a scheme that is not http.
Status parse_target(Method method, std::string_view head, Piece target, RequestTarget& parsed,
                    std::string& decoded, std::string_view& reason);

/// Decodes a path: percent escapes, dot segments. False if it must be refused; `decoded` is then
/// unspecified.
bool decode_path(std::string_view path, std::string& decoded);

/// Whether this is a host and maybe a port (RFC 9110 section 7.2), not empty. `first` is where the
/// memory begins that may be read along with it, such as the head that it stands in.
bool is_authority(std::string_view authority, const char* first);

}  // namespace stagecraft
