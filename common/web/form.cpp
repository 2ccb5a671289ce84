#include "web/form.h"

#include <algorithm>

#include "web/fields.h"
#include "web/percent.h"

namespace stagecraft {

namespace {

constexpr std::string_view charset_name = "_charset_";

// Calls `visit(name, value)` with each pair as it was sent, until that says no.
template <typename Visit>
void for_each_pair(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::string_view name = pair.substr(0, pair.find('='));
    if (!visit(name, pair.substr(std::min(pair.size(), name.size() + 1)))) return;
  }
}

std::optional<std::string> decoded(std::string_view text, Charset charset) {
  std::string plain;
  append_percent_decoded(plain, text, Plus::is_space);
  if (!to_utf8(plain, charset)) return std::nullopt;
  return plain;
}

}  // namespace

std::optional<std::string_view> Form::value(std::string_view name) const {
  for (const Field& field : fields_) {
    if (field.name == name) return field.value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Form::values(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const Field& field : fields_) {
    if (field.name == name) values.emplace_back(field.value);
  }
  return values;
}

Refusal parse_urlencoded(std::string_view text, Form& form, Charset charset,
                         const FormLimits& limits) {
  Refusal refusal;
  // It may stand anywhere, and concerns what stands before it as well.
  for_each_pair(text, [&](std::string_view name, std::string_view value) {
    if (name != charset_name) return true;
    const std::optional<std::string> label = decoded(value, Charset::windows_1252);
    const std::optional<Charset> named = charset_named(label.value_or(""));
    if (named) {
      charset = *named;
    } else {
      refusal = {Status::unsupported_media_type, "the form is in an unknown charset"};
    }
    return false;
  });
  if (refusal) return refusal;
  for_each_pair(text, [&](std::string_view name, std::string_view value) {
    if (form.fields().size() == limits.max_fields) {
      refusal = {Status::content_too_large, "the form has too many fields"};
      return false;
    }
    std::optional<std::string> plain_name = decoded(name, charset);
    std::optional<std::string> plain_value = decoded(value, charset);
    if (!plain_name || !plain_value) {
      refusal = {Status::bad_request, "the form is not in the charset that it says"};
      return false;
    }
    form.add(*std::move(plain_name), *std::move(plain_value));
    return true;
  });
  return refusal;
}

Refusal read_form(const Request& request, Form& form, const FormLimits& limits) {
  const auto type = parse_parameterized(request.field("Content-Type").value_or(""));
  if (!type || type->value != "application/x-www-form-urlencoded") {
    return {Status::unsupported_media_type, "only application/x-www-form-urlencoded is read here"};
  }
  const auto charset = charset_named(type->parameter("charset").value_or("utf-8"));
  if (!charset) return {Status::unsupported_media_type, "the form is in an unknown charset"};
  return parse_urlencoded(request.body(), form, *charset, limits);
}

Refusal read_query(const Request& request, Form& form, const FormLimits& limits) {
  const Refusal refusal = parse_urlencoded(request.query(), form, Charset::utf_8, limits);
  const bool too_many = refusal.status == Status::content_too_large;
  return too_many ? Refusal{Status::uri_too_long, "the query has too many fields"} : refusal;
}

std::string encode_urlencoded(const Form& form) {
  std::string text;
  for (const Form::Field& field : form.fields()) {
    if (!text.empty()) text += '&';
    append_percent_encoded(text, field.name);
    text += '=';
    append_percent_encoded(text, field.value);
  }
  return text;
}

}  // namespace stagecraft
