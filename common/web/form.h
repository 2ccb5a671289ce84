// Forms and queries: names and values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/request.h"
#include "web/charset.h"
#include "web/refusal.h"

namespace stagecraft {

/// Names and their values, decoded to UTF-8, in the order in which they came. A name may come
/// several times.
class Form {
 public:
  struct Field {
    std::string name, value;
    bool operator==(const Field&) const = default;
  };

  void add(std::string name, std::string value) {
    fields_.push_back({std::move(name), std::move(value)});
  }

  /// The first value of that name.
  std::optional<std::string_view> value(std::string_view name) const;
  /// All of them, in order.
  std::vector<std::string_view> values(std::string_view name) const;
  const std::vector<Field>& fields() const { return fields_; }

  bool operator==(const Form&) const = default;

 private:
  std::vector<Field> fields_;
};

/// How much a form may have. Its size is bounded by the limit of the body, or of the request line.
struct FormLimits {
  std::size_t max_fields = 1000;
};

/// Reads application/x-www-form-urlencoded (https://url.spec.whatwg.org/#urlencoded-parsing) into
/// `form`. Refused: more than so many fields (413), text that is not in the charset (400). A field
/// `_charset_` names the charset instead, as browsers fill it in; one that is not known is refused
/// (415).
Refusal parse_urlencoded(std::string_view text, Form& form, Charset charset = Charset::utf_8,
                         const FormLimits& limits = {});

/// Reads the gathered body of a request. Refused besides: another type than
/// application/x-www-form-urlencoded, or a charset that is not known (415).
Refusal read_form(const Request& request, Form& form, const FormLimits& limits = {});

/// Reads what stands behind the question mark.
Refusal read_query(const Request& request, Form& form, const FormLimits& limits = {});

/// The other way.
std::string encode_urlencoded(const Form& form);

}  // namespace stagecraft
