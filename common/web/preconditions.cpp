#include "web/preconditions.h"

#include <algorithm>

#include "base/http_date.h"
#include "http/application.h"
#include "http/field_parser.h"

namespace stagecraft {

namespace {

constexpr std::string_view weak_mark = "W/";

// etagc: any visible byte but the quote, and the bytes above ASCII.
bool is_tag_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != '"' && byte != 0x7f;
}

// Takes an entity tag, with its quotes and its mark, off the front; empty if there is none.
std::string_view take_entity_tag(std::string_view& text) {
  std::size_t i = text.starts_with(weak_mark) ? weak_mark.size() : 0;
  if (i >= text.size() || text[i] != '"') return {};
  ++i;
  while (i < text.size() && is_tag_byte(text[i])) ++i;
  if (i >= text.size() || text[i] != '"') return {};
  const std::string_view tag = text.substr(0, i + 1);
  text.remove_prefix(i + 1);
  return tag;
}

bool equal_tags(std::string_view a, std::string_view b, Comparison comparison) {
  const bool either_weak = a.starts_with(weak_mark) || b.starts_with(weak_mark);
  if (!either_weak) return a == b;
  if (comparison == Comparison::strong) return false;
  const auto opaque = [](std::string_view tag) { return tag.substr(tag.find('"')); };
  return opaque(a) == opaque(b);
}

void skip_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// If-Match or If-None-Match, all lines of it together. nullopt: there is none.
std::optional<TagMatch> match(const Request& request, std::string_view name,
                              const std::optional<Validators>& current, Comparison comparison) {
  std::optional<TagMatch> result;
  bool star = false;
  std::size_t lines = 0;
  for (std::size_t index = 0; index < request.field_count(); ++index) {
    const Field field = request.field_at(index);
    if (!equal_ignoring_case(field.name, name)) continue;
    ++lines;
    star |= field.value == "*";
    const TagMatch line =
        field.value == "*"
            ? (current ? TagMatch::some : TagMatch::none)
            : match_entity_tags(field.value, current ? current->entity_tag : "", comparison);
    result = std::max(result.value_or(TagMatch::none), line);
  }
  if (star && lines > 1) return TagMatch::malformed;  // "*" stands alone
  return result;
}

// The moment that a date field names; nullopt if there is none, or none that one can understand.
std::optional<std::time_t> date(const Request& request, std::string_view name, std::time_t now) {
  const std::optional<std::string_view> text = single_field(request, name);
  return text ? parse_http_date(*text, now) : std::nullopt;
}

bool reads_only(const Request& request) {
  return request.method() == Method::get || request.method() == Method::head;
}

// Step 1 and 2 of RFC 9110 section 13.2.2: may the request be performed on what there is?
bool is_expected_state(const Request& request, const std::optional<Validators>& current,
                       std::time_t now) {
  // A list that cannot be read names nothing that we have: better no change than a lost one.
  if (const auto matched = match(request, "If-Match", current, Comparison::strong)) {
    return *matched == TagMatch::some;
  }
  if (!current || !current->last_modified) return true;
  const std::optional<std::time_t> since = date(request, "If-Unmodified-Since", now);
  return !since || *current->last_modified <= *since;
}

// Step 3 and 4: does the client have it already?
Precondition compare_with_clients(const Request& request, const std::optional<Validators>& current,
                                  std::time_t now) {
  if (const auto matched = match(request, "If-None-Match", current, Comparison::weak)) {
    if (reads_only(request)) {
      return *matched == TagMatch::some ? Precondition::not_modified : Precondition::passed;
    }
    return *matched == TagMatch::none ? Precondition::passed : Precondition::failed;
  }
  if (!reads_only(request) || !current || !current->last_modified) return Precondition::passed;
  const std::optional<std::time_t> since = date(request, "If-Modified-Since", now);
  const bool same = since && *current->last_modified <= *since;
  return same ? Precondition::not_modified : Precondition::passed;
}

}  // namespace

TagMatch match_entity_tags(std::string_view list, std::string_view tag, Comparison comparison) {
  TagMatch result = TagMatch::none;
  for (bool separated = true; !list.empty();) {
    skip_spaces(list);
    if (list.empty()) break;
    if (list.front() == ',') {  // also of an empty member (RFC 9110 section 5.6.1)
      list.remove_prefix(1);
      separated = true;
      continue;
    }
    const std::string_view listed = take_entity_tag(list);
    if (listed.empty() || !separated) return TagMatch::malformed;
    separated = false;
    if (!tag.empty() && equal_tags(listed, tag, comparison)) result = TagMatch::some;
  }
  return result;
}

std::optional<std::string_view> single_field(const Request& request, std::string_view name) {
  std::optional<std::string_view> value;
  for (std::size_t index = 0; index < request.field_count(); ++index) {
    const Field field = request.field_at(index);
    if (!equal_ignoring_case(field.name, name)) continue;
    if (value) return std::nullopt;
    value = field.value;
  }
  return value;
}

Precondition evaluate_preconditions(const Request& request,
                                    const std::optional<Validators>& current, std::time_t now) {
  switch (request.method()) {
    case Method::options:
    case Method::trace:
    case Method::connect:
      return Precondition::passed;  // they select no state of a resource (section 13.2.1)
    default:
      break;
  }
  if (!is_expected_state(request, current, now)) return Precondition::failed;
  return compare_with_clients(request, current, now);
}

void set_validators(Response& response, const Validators& validators) {
  if (!validators.entity_tag.empty()) response.set_field("ETag", validators.entity_tag);
  if (!validators.last_modified) return;
  const HttpDate text = http_date(*validators.last_modified);
  response.set_field("Last-Modified", {text.data(), text.size()});
}

bool answered_by_preconditions(const Request& request, const Validators& current,
                               Response& response) {
  switch (evaluate_preconditions(request, current)) {
    case Precondition::passed:
      set_validators(response, current);
      return false;
    case Precondition::not_modified:
      // With a tag the date tells a client nothing more (RFC 9110 section 15.4.5).
      set_validators(response,
                     current.entity_tag.empty() ? current : Validators{current.entity_tag, {}});
      response.status(Status::not_modified);
      return true;
    case Precondition::failed:
      break;
  }
  error_page(response, Status::precondition_failed, "this is not in the state that you expect");
  return true;
}

bool if_range_allows(const Request& request, const Validators& current, std::time_t now) {
  if (!request.field("If-Range")) return true;
  const std::optional<std::string_view> value = single_field(request, "If-Range");
  if (!value) return false;
  std::string_view rest = *value;
  if (const std::string_view tag = take_entity_tag(rest); !tag.empty()) {
    return rest.empty() && equal_tags(tag, current.entity_tag, Comparison::strong);
  }
  const std::optional<std::time_t> date = parse_http_date(*value, now);
  return date && current.last_modified == date && *date < now;
}

}  // namespace stagecraft
