// Whatever the bytes are, a form is read into UTF-8 and comes back the same, or it is refused; and
// so is a value with parameters.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "web/fields.h"
#include "web/form.h"

namespace {

using namespace stagecraft;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_form(std::string_view text, Charset charset) {
  Form form;
  const FormLimits limits{20};
  const Refusal refusal = parse_urlencoded(text, form, charset, limits);
  require(form.fields().size() <= limits.max_fields);
  if (refusal) return require(!refusal.reason.empty());
  for (const Form::Field& field : form.fields()) {
    require(is_utf8(field.name) && is_utf8(field.value));
  }
  if (form.value("_charset_")) return;  // it says what the text is in, and would say so again
  Form again;
  require(!parse_urlencoded(encode_urlencoded(form), again) && again == form);
}

void check_parameters(std::string_view text) {
  const auto value = parse_parameterized(text);
  if (!value) return;
  for (const auto& [name, parameter] : value->parameters) {
    require(!name.empty() && parameter.size() <= text.size());
    const auto extended = extended_parameter(*value, name);
    require(extended.has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  check_form(text, Charset::utf_8);
  check_form(text, Charset::windows_1252);
  check_parameters(text);
  return 0;
}
