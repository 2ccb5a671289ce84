#include "http/request_parser.h"

#include <algorithm>
#include <cstring>

#include "http/request_target.h"
#include "http/scan.h"

namespace stagecraft {
namespace {

Method method_of(std::string_view token) {
  switch (token.size()) {
    case 3:
      if (token == "GET") return Method::get;
      if (token == "PUT") return Method::put;
      break;
    case 4:
      if (token == "HEAD") return Method::head;
      if (token == "POST") return Method::post;
      break;
    case 5:
      if (token == "PATCH") return Method::patch;
      if (token == "TRACE") return Method::trace;
      break;
    case 6:
      if (token == "DELETE") return Method::delete_;
      break;
    case 7:
      if (token == "OPTIONS") return Method::options;
      if (token == "CONNECT") return Method::connect;
      break;
    default:
      break;
  }
  return Method::unknown;
}

// Whether a request line's end may begin with these bytes, at most ten.
bool begins_version(std::string_view bytes) {
  constexpr std::string_view form = "HTTP/d.d\r\n";  // each d is a digit
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool fits = form[i] == 'd' ? scan::is(bytes[i], scan::digit) : bytes[i] == form[i];
    if (!fits) return false;
  }
  return true;
}

}  // namespace

RequestParser::RequestParser(const Limits& limits) : limits_(limits) {}

void RequestParser::reset() {
  state_ = State::start;
  host_seen_ = length_seen_ = coding_seen_ = coding_unknown_ = false;
  position_ = line_start_ = part_ = 0;
  error_ = Status::none;
  head_.framing = Framing::none;
  head_.close = head_.keep_alive = head_.upgrade = false;
  head_.expect_continue = head_.expect_other = false;
  head_.field_count = 0;
  head_.size = 0;
  head_.method = Method::get;
  head_.minor_version = 1;
  head_.host = {};
  head_.content_length = 0;
}

Progress RequestParser::fail(Status status, std::string_view reason) {
  state_ = State::failed;
  error_ = status;
  reason_ = reason;
  return Progress::failed;
}

// The steps are made one function, all places in registers: a place that one of them stores and the
// next one loads would cost as much as a step does. Hence the attribute.

Progress RequestParser::parse(const char* bytes, std::size_t size) {
  if (state_ == State::failed) return Progress::failed;
  if (state_ != State::fields) {
    const Progress progress = parse_request_line(bytes, size);
    if (progress != Progress::complete) return progress;
  }
  return parse_fields(bytes, size);
}

[[gnu::always_inline]] inline Progress RequestParser::parse_request_line(const char* bytes,
                                                                         std::size_t size) {
  // Nothing is looked for behind the limit, so it does not matter whether more has arrived.
  const std::size_t head_end = std::min(size, max_head_size());
  if (state_ == State::start) {
    const Progress progress = parse_start(bytes, head_end);
    if (progress != Progress::complete) {
      return progress == Progress::incomplete && size >= max_head_size()
                 ? fail(Status::bad_request, "there is no request line")
                 : progress;
    }
  }
  // Two more for the CR and LF that are not part of the line.
  const std::size_t limit = line_start_ + limits_.max_request_line + 2;
  const Progress progress = parse_parts(bytes, std::min(head_end, limit));
  if (progress == Progress::incomplete && size >= std::min(limit, max_head_size())) {
    return fail(Status::uri_too_long, "the request line is too long");
  }
  return progress;
}

// Empty lines before a request line are skipped: some old clients send one behind a body
// (RFC 9112 section 2.2).
[[gnu::always_inline]] inline Progress RequestParser::parse_start(const char* bytes,
                                                                  std::size_t size) {
  for (;;) {
    if (position_ == size) return Progress::incomplete;
    if (bytes[position_] != '\r') break;
    if (size - position_ < 2) return Progress::incomplete;
    if (bytes[position_ + 1] != '\n') return fail(Status::bad_request, "a CR stands alone");
    position_ = static_cast<std::uint16_t>(position_ + 2);
  }
  state_ = State::method;
  line_start_ = part_ = position_;
  return Progress::complete;
}

// Method, target and version, from wherever the last call stopped.
[[gnu::always_inline]] inline Progress RequestParser::parse_parts(const char* bytes,
                                                                  std::size_t size) {
  const char* const end = bytes + size;
  const char* part = bytes + part_;
  const char* p = bytes + position_;
  const auto leave = [&](State state) {
    state_ = state;
    part_ = static_cast<std::uint16_t>(part - bytes);
    position_ = static_cast<std::uint16_t>(p - bytes);
    return Progress::incomplete;
  };
  switch (state_) {
    case State::method:
      if (p == part && end - p >= 4 && std::memcmp(p, "GET ", 4) == 0) {  // nearly always
        head_.method = Method::get;
        p += 3;
      } else {
        p = scan::skip<scan::token>(bytes, p, end);
        if (p == end) return leave(State::method);
        if (*p != ' ' || p == part) {
          return fail(Status::bad_request, "the method is not a token followed by one space");
        }
        head_.method = method_of({part, static_cast<std::size_t>(p - part)});
      }
      part = ++p;
      [[fallthrough]];
    case State::target:
      p = scan::skip<scan::target>(bytes, p, end);
      if (p == end) return leave(State::target);
      if (*p != ' ' || p == part) {
        return fail(Status::bad_request,
                    "the request target holds a byte that has no place there, "
                    "or no version follows");
      }
      head_.target = {static_cast<std::uint16_t>(part - bytes),
                      static_cast<std::uint16_t>(p - part)};
      part = ++p;
      leave(State::version);
      [[fallthrough]];
    default:
      return parse_version(bytes, size);
  }
}

[[gnu::always_inline]] inline Progress RequestParser::parse_version(const char* bytes,
                                                                    std::size_t size) {
  // "HTTP/1.1" CR LF: ten bytes whatever it says (RFC 9112 section 2.3).
  constexpr std::size_t length = 10;
  const char* version = bytes + part_;
  const std::size_t there = std::min(size - part_, length);
  const bool usual = there == length && std::memcmp(version, "HTTP/1.1\r\n", length) == 0;
  if (!usual && !begins_version({version, there})) {
    return fail(Status::bad_request, "the request line does not end in HTTP/1.1, CR and LF");
  }
  if (there < length) return Progress::incomplete;
  if (version[5] != '1') {
    return fail(Status::http_version_not_supported, "this server speaks HTTP/1.1 and HTTP/1.0");
  }
  // A later HTTP/1.x is read as the highest that we know (RFC 9110 section 2.5).
  head_.minor_version = version[7] == '0' ? 0 : 1;
  if (head_.method == Method::unknown) {
    return fail(Status::not_implemented, "this server does not know the method");
  }
  state_ = State::fields;
  lines_.start(part_ + length);
  return Progress::complete;
}

[[gnu::always_inline]] inline Progress RequestParser::parse_fields(const char* bytes,
                                                                   std::size_t size) {
  const std::size_t end = std::min(size, max_head_size());
  const std::size_t max_fields = std::min(limits_.max_fields, RequestHead::max_fields);
  const auto take = [&](const FieldLine& line) __attribute__((always_inline)) {
    if (head_.field_count == max_fields) {
      fail(Status::request_header_fields_too_large, "there are too many fields");
      return false;
    }
    head_.fields[head_.field_count++] = line;
    return note(bytes, line) != Progress::failed;
  };
  switch (lines_.parse(bytes, end, take)) {
    case FieldParser::Found::end:
      head_.size = static_cast<std::uint16_t>(lines_.position());
      return finish();
    case FieldParser::Found::incomplete:
      return size < max_head_size()
                 ? Progress::incomplete
                 : fail(Status::request_header_fields_too_large, "the fields are too large");
    case FieldParser::Found::failed:
      return fail(Status::bad_request, "a field line is not a name, a colon, a value, CR and LF");
    case FieldParser::Found::stopped:
      break;
  }
  return Progress::failed;
}

// The fields that decide about framing and the connection. Told apart by their length first, which
// nearly all others do not share.
[[gnu::always_inline]] inline Progress RequestParser::note(const char* bytes,
                                                           const FieldLine& line) {
  const std::string_view name = line.name.of(bytes);
  const std::string_view value = line.value.of(bytes);
  switch (name.size()) {
    case 4:
      if (is_name(name, "host")) return note_host(bytes, line.value);
      break;
    case 6:
      if (is_name(name, "expect")) note_expect(value);
      break;
    case 10:
      if (is_name(name, "connection")) note_connection(value);
      break;
    case 14:
      if (is_name(name, "content-length")) return note_content_length(value);
      break;
    case 17:
      if (is_name(name, "transfer-encoding")) return note_transfer_encoding(value);
      break;
    default:
      break;
  }
  return Progress::complete;
}

// RFC 9112 section 3.2. An empty Host is grammatical, for targets without an authority; there is no
// such target here, so it is refused.
Progress RequestParser::note_host(const char* bytes, Piece piece) {
  if (host_seen_) return fail(Status::bad_request, "there is more than one Host");
  const std::string_view host = piece.of(bytes);
  if (host != std::string_view(good_host_.data(), good_host_size_) || host.empty()) {
    if (!is_authority(host, bytes)) {
      return fail(Status::bad_request, "Host is not a host and maybe a port");
    }
    if (host.size() <= good_host_.size()) {
      std::copy(host.begin(), host.end(), good_host_.begin());
      good_host_size_ = static_cast<std::uint8_t>(host.size());
    }
  }
  host_seen_ = true;
  head_.host = piece;
  return Progress::complete;
}

// RFC 9112 section 6.3, rule 5, and no list of equal values either: two lengths are one too many.
Progress RequestParser::note_content_length(std::string_view value) {
  if (length_seen_) return fail(Status::bad_request, "there is more than one Content-Length");
  length_seen_ = true;
  // Eighteen digits are an exabyte and do not overflow.
  const bool digits = !value.empty() && value.size() <= 18 &&
                      std::ranges::all_of(value, [](char c) { return scan::is(c, scan::digit); });
  if (!digits) return fail(Status::bad_request, "Content-Length is not a decimal number");
  for (const char c : value) {
    head_.content_length = 10 * head_.content_length + static_cast<std::uint64_t>(c - '0');
  }
  if (head_.content_length > 0) head_.framing = Framing::length;
  return Progress::complete;
}

// RFC 9112 section 6.1. Only chunked, once and alone, is understood. Anything in front of it is a
// coding that we do not know; anything behind it makes the length unknowable.
Progress RequestParser::note_transfer_encoding(std::string_view value) {
  if (coding_seen_) return fail(Status::bad_request, "there is more than one Transfer-Encoding");
  coding_seen_ = true;
  std::string_view last;
  std::size_t count = 0;
  std::size_t chunked = 0;
  for (auto coding = take_list_member(value); !coding.empty(); coding = take_list_member(value)) {
    last = coding;
    ++count;
    if (equal_ignoring_case(coding, "chunked")) ++chunked;
  }
  if (chunked != 1 || !equal_ignoring_case(last, "chunked")) {
    return fail(Status::bad_request, "Transfer-Encoding does not end in chunked, once");
  }
  coding_unknown_ = count > 1;
  head_.framing = Framing::chunked;
  return Progress::complete;
}

// A list that may stand in several lines; options are compared without case (RFC 9110
// section 7.6.1).
void RequestParser::note_connection(std::string_view value) {
  for (auto option = take_list_member(value); !option.empty(); option = take_list_member(value)) {
    if (equal_ignoring_case(option, "close")) head_.close = true;
    if (equal_ignoring_case(option, "keep-alive")) head_.keep_alive = true;
    if (equal_ignoring_case(option, "upgrade")) head_.upgrade = true;
  }
}

void RequestParser::note_expect(std::string_view value) {
  for (auto member = take_list_member(value); !member.empty(); member = take_list_member(value)) {
    (equal_ignoring_case(member, "100-continue") ? head_.expect_continue : head_.expect_other) =
        true;
  }
}

// What can only be judged when all fields are known.
Progress RequestParser::finish() {
  if (!host_seen_ && head_.minor_version >= 1) {
    return fail(Status::bad_request, "an HTTP/1.1 request names its Host");
  }
  if (coding_seen_) {
    // Two framings, or one that the version does not have, are how requests are smuggled.
    if (length_seen_) {
      return fail(Status::bad_request, "Content-Length and Transfer-Encoding exclude each other");
    }
    if (head_.minor_version == 0) {
      return fail(Status::bad_request, "HTTP/1.0 has no Transfer-Encoding");
    }
    if (coding_unknown_) {
      return fail(Status::not_implemented, "this server knows no transfer coding but chunked");
    }
  }
  // An HTTP/1.0 client cannot mean what 1.1 added (RFC 9110 section 10.1.1).
  if (head_.minor_version == 0) head_.expect_continue = head_.expect_other = false;
  return Progress::complete;
}

}  // namespace stagecraft
