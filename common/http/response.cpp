#include "http/response.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/escape.h"
#include "http/field_parser.h"
#include "http/responder.h"
#include "http/scan.h"

namespace stagecraft {
namespace {

// What the session writes itself: set by an application too, they would contradict it, and two
// framings in one answer are how answers are smuggled.
bool is_reserved(std::string_view name) {
  constexpr std::array<std::string_view, 7> reserved{
      "connection", "content-length",   "date", "keep-alive", "server",
      "trailer",    "transfer-encoding"};
  return std::ranges::any_of(
      reserved, [name](std::string_view other) { return equal_ignoring_case(name, other); });
}

template <scan::Class kind>
bool all(std::string_view text) {
  const char* const end = text.data() + text.size();
  return scan::skip<kind>(text.data(), text.data(), end) == end;
}

void check_name(std::string_view name) {
  if (name.empty() || !all<scan::token>(name)) {
    throw std::invalid_argument("a field name is not a token");
  }
  if (is_reserved(name)) throw std::invalid_argument("a field that only the server may set");
}

void check_value(std::string_view value) {
  if (!all<scan::text>(value)) {
    throw std::invalid_argument("a field value has control characters");
  }
}

// The first line of `fields` with this name, its CR LF included; empty if there is none.
std::string_view find_line(std::string_view fields, std::string_view name) {
  while (!fields.empty()) {
    const std::size_t size = fields.find('\n') + 1;
    const std::string_view line = fields.substr(0, size);
    if (line.size() > name.size() && line[name.size()] == ':' &&
        equal_ignoring_case(line.substr(0, name.size()), name)) {
      return line;
    }
    fields.remove_prefix(size);
  }
  return {};
}

}  // namespace

Response::~Response() = default;

Response::Response(Response&& other) noexcept { take(other); }

Response& Response::operator=(Response&& other) noexcept {
  if (this != &other) {
    reset();
    take(other);
  }
  return *this;
}

// Moves by hand, because of the block: only the bytes in use are copied.
void Response::take(Response& other) noexcept {
  status_ = other.status_;
  body_ = other.body_;
  close_after_ = other.close_after_;
  names_upgrade_ = other.names_upgrade_;
  is_problem_ = other.is_problem_;
  fields_size_ = other.fields_size_;
  text_size_ = other.text_size_;
  overflow_ = std::move(other.overflow_);
  content_ = std::move(other.content_);
  constant_ = other.constant_;
  file_ = std::move(other.file_);
  source_ = std::move(other.source_);
  raw_stream_ = std::exchange(other.raw_stream_, nullptr);
  length_ = other.length_;
  // deferral_ stays: it says whose handler this object is lent to, not what the answer is.
  deferred_ = std::move(other.deferred_);
  resume_ = std::move(other.resume_);
  std::memcpy(block_.data(), other.block_.data(), fields_size_);
  std::memcpy(block_.data() + block_size - text_size_,
              other.block_.data() + block_size - text_size_, text_size_);
  other.reset();
}

void Response::give_body_back() noexcept {
  content_ = {};  // gives the memory back: it may have been large
  file_ = {};
  source_.reset();
  raw_stream_ = nullptr;
  length_.reset();
}

std::string_view Response::fields() const {
  if (!overflow_.empty()) return overflow_;
  return {block_.data(), fields_size_};
}

std::string_view Response::text_view() const {
  return {block_.data() + block_size - text_size_, text_size_};
}

// In the block while they fit. Once they do not, all of them move to the heap.
void Response::write_field(std::string_view name, std::string_view value) {
  const std::size_t size = name.size() + 2 + value.size() + 2;
  if (overflow_.empty() && size <= block_size - text_size_ - fields_size_) {
    char* p = block_.data() + fields_size_;
    p = std::copy(name.begin(), name.end(), p);
    *p++ = ':';
    *p++ = ' ';
    p = std::copy(value.begin(), value.end(), p);
    *p++ = '\r';
    *p = '\n';
    fields_size_ = static_cast<std::uint16_t>(fields_size_ + size);
    return;
  }
  if (overflow_.empty()) {
    overflow_.reserve(2 * block_size + size);
    overflow_.append(fields());
    fields_size_ = 0;
  }
  overflow_.append(name).append(": ").append(value).append("\r\n");
}

void Response::remove_field(std::string_view name) {
  for (auto line = find_line(fields(), name); !line.empty(); line = find_line(fields(), name)) {
    const auto offset = static_cast<std::size_t>(line.data() - fields().data());
    if (!overflow_.empty()) {
      overflow_.erase(offset, line.size());
    } else {
      char* gap = block_.data() + offset;
      std::memmove(gap, gap + line.size(), fields_size_ - offset - line.size());
      fields_size_ = static_cast<std::uint16_t>(fields_size_ - line.size());
    }
  }
}

void Response::set_field(std::string_view name, std::string_view value) {
  check_name(name);
  check_value(value);
  remove_field(name);
  add_field(name, value);
}

void Response::add_field(std::string_view name, std::string_view value) {
  check_name(name);
  check_value(value);
  write_field(name, value);
  if (equal_ignoring_case(name, "upgrade")) names_upgrade_ = true;
}

std::optional<std::string_view> Response::field(std::string_view name) const {
  std::string_view line = find_line(fields(), name);
  if (line.empty()) return std::nullopt;
  line.remove_prefix(name.size() + 2);
  line.remove_suffix(2);
  return line;
}

void Response::set_type(std::string_view type) {
  if (fields_size_ != 0 || !overflow_.empty()) remove_field("Content-Type");
  if (type.empty()) return;
  check_value(type);
  write_field("Content-Type", type);
}

void Response::text(std::string_view body, std::string_view type) {
  drop_body();
  set_type(type);
  const std::size_t free = overflow_.empty() ? block_size - fields_size_ : block_size;
  if (body.size() > free) {
    content_.assign(body);
    body_ = Body::content;
    return;
  }
  text_size_ = static_cast<std::uint16_t>(body.size());
  std::copy(body.begin(), body.end(), block_.end() - text_size_);
  body_ = Body::text;
}

void Response::body(std::string content, std::string_view type) {
  drop_body();
  set_type(type);
  content_ = std::move(content);
  body_ = Body::content;
}

void Response::body_forever(std::string_view content, std::string_view type) {
  drop_body();
  set_type(type);
  constant_ = content;
  body_ = Body::constant;
}

void Response::file(FileRange range, std::string_view type) {
  drop_body();
  set_type(type);
  file_ = std::move(range);
  body_ = Body::file;
}

void Response::problem(Status status, std::string_view detail) {
  this->status(status);
  text(detail, {});
  is_problem_ = true;
}

void Response::word_problem(Wording wording) {
  assert(is_problem_);
  const std::string detail(body_ == Body::text ? text_view() : std::string_view(content_));
  const std::string number = std::to_string(code(status_));
  const std::string title(reason_phrase(status_));
  // Another client, or a cache, would get the other wording for the same target.
  add_field("Vary", "Accept");
  std::string body;
  if (wording == Wording::json) {
    // Without a "type" it is about:blank: the status says all there is to say.
    body = "{\"title\":\"" + title + "\",\"status\":" + number + ",\"detail\":\"";
    append_json_escaped(body, detail);
    return this->body(body + "\"}\n", "application/problem+json");
  }
  const std::string heading = number + ' ' + title;
  body = "<!DOCTYPE html>\n<html lang=\"en\">\n<title>" + heading + "</title>\n<h1>" + heading +
         "</h1>\n";
  if (!detail.empty()) {
    body += "<p>";
    append_html_escaped(body, detail);
    body += "</p>\n";
  }
  text(body + "</html>\n", "text/html; charset=utf-8");
}

void Response::stream(std::unique_ptr<BodySource> source, std::string_view type,
                      std::optional<std::uint64_t> length) {
  assert(source);
  drop_body();
  set_type(type);
  source_ = std::move(source);
  length_ = length;
  body_ = Body::stream;
}

void Response::take_over(Status status, std::string_view protocol,
                         std::unique_ptr<RawStream> stream) {
  assert(stream);
  drop_body();
  status_ = status;
  if (!protocol.empty()) set_field("Upgrade", protocol);
  raw_stream_ = stream.get();
  source_ = std::move(stream);
  body_ = Body::raw;
}

Responder Response::defer() {
  if (deferral_ == nullptr) throw std::logic_error("defer() outside of a handler");
  auto deferred = std::make_shared<Deferred>();
  deferred->ticket = deferral_->ticket;
  deferred->postbox = *deferral_->postbox;
  deferred_ = deferred;
  return Responder(std::move(deferred));
}

Resumer Response::resumer() {
  if (deferral_ == nullptr) throw std::logic_error("resumer() outside of a handler");
  if (!resume_) {
    auto letter = std::make_shared<Deferred>();
    letter->ticket = deferral_->ticket;
    letter->kind = Deferred::Kind::resume;
    letter->postbox = *deferral_->postbox;
    resume_ = std::move(letter);
  }
  return Resumer(resume_);
}

}  // namespace stagecraft
