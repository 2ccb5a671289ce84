// Content negotiation: the Accept fields, whose members have weights (RFC 9110 section 12).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/request.h"

namespace stagecraft {

/// A weight in thousandths: 1000 is "as it is", 0 is "not acceptable" (RFC 9110 section 12.4.2).
using Weight = std::uint16_t;
inline constexpr Weight full_weight = 1000;

/// One member of such a field, `text/html;level=1;q=0.7`: what stands before its weight.
struct WeightedItem {
  std::string_view value;  ///< "text/html;level=1", without white space around it
  Weight weight = full_weight;
};

/// The members of one field value, one after the other. Empty members are skipped, and so are those
/// whose weight is none: nobody knows what they mean.
class WeightedList {
 public:
  explicit WeightedList(std::string_view field_value) : rest_(field_value) {}
  std::optional<WeightedItem> next();

 private:
  std::string_view rest_;
};

/// How welcome content of this media type, "application/json", is by the request's Accept: what its
/// most specific range says ("application/json" before "application/*" before "*/*"), 0 if no range
/// has it in it, 1000 if there is no Accept. Parameters of a range are not looked at.
Weight media_type_weight(const Request& request, std::string_view type);

/// How welcome a content coding, "gzip", is by the request's Accept-Encoding: 0 if it is not
/// listed, by name (or "x-gzip") or by "*". Also if there is no such field, which would accept any
/// coding: a client that does not ask for one may not expect it.
Weight coding_weight(const Request& request, std::string_view coding);

/// Whether content without any coding may be sent: always, unless "identity;q=0" or "*;q=0" refuses
/// it.
bool accepts_identity(const Request& request);

}  // namespace stagecraft
