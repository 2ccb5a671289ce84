#include "http/chunked_decoder.h"

#include <algorithm>
#include <limits>

#include "http/scan.h"

namespace stagecraft {

void ChunkedDecoder::reset() {
  max_bytes_ = std::numeric_limits<std::uint64_t>::max();
  state_ = State::size;
  size_seen_ = false;
  left_ = data_bytes_ = overhead_bytes_ = 0;
  trailer_count_ = 0;
  error_ = Status::none;
  lines_.start(0);
}

Progress ChunkedDecoder::fail(Status status, std::string_view reason) {
  state_ = State::failed;
  error_ = status;
  reason_ = reason;
  return Progress::failed;
}

bool ChunkedDecoder::take_size_digit(char c) {
  // Sizes from 2^60 on do not fit; no body is so large, so nothing is lost.
  if (left_ >= (std::uint64_t{1} << 56U)) return false;
  const char lower = static_cast<char>(c | 0x20);
  const int value = c <= '9' ? c - '0' : lower - 'a' + 10;
  left_ = 16 * left_ + static_cast<std::uint64_t>(value);
  size_seen_ = true;
  return true;
}

// What may follow a whole element of the line: the line's end or another extension.
ChunkedDecoder::State ChunkedDecoder::behind_element(char c) {
  if (c == '\r') return State::size_lf;
  if (c == ';') return State::name_begin;
  return c == ' ' || c == '\t' ? State::gap : State::failed;
}

// chunk-size [ chunk-ext ], RFC 9112 section 7.1.1. Extensions mean nothing to us but must be
// right: a line that two servers end at different places is how requests are smuggled. White space
// around
// ';' and '=' is "bad", yet a recipient must bear it; at the line's end it has no name at all.
ChunkedDecoder::State ChunkedDecoder::next_in_line(char c) {
  const bool space = c == ' ' || c == '\t';
  switch (state_) {
    case State::size:
      if (scan::is(c, scan::hex)) return take_size_digit(c) ? State::size : State::failed;
      return size_seen_ ? behind_element(c) : State::failed;
    case State::gap:
      if (space) return State::gap;
      return c == ';' ? State::name_begin : State::failed;
    case State::name_begin:
      if (space) return State::name_begin;
      return scan::is(c, scan::token) ? State::name : State::failed;
    case State::name:
      if (scan::is(c, scan::token)) return State::name;
      if (c == '=') return State::value_begin;
      return space ? State::name_gap : behind_element(c);
    case State::name_gap:
      if (space) return State::name_gap;
      if (c == '=') return State::value_begin;
      return c == ';' ? State::name_begin : State::failed;
    case State::value_begin:
      if (space) return State::value_begin;
      if (c == '"') return State::quoted;
      return scan::is(c, scan::token) ? State::value : State::failed;
    case State::value:
      return scan::is(c, scan::token) ? State::value : behind_element(c);
    case State::quoted:
      if (c == '"') return State::quoted_end;
      if (c == '\\') return State::quoted_pair;
      return scan::is(c, scan::text) ? State::quoted : State::failed;
    case State::quoted_pair:
      return scan::is(c, scan::text) ? State::quoted : State::failed;
    case State::quoted_end:
      return behind_element(c);
    case State::size_lf:
      if (c != '\n') return State::failed;
      return left_ > 0 ? State::data : State::trailer;
    case State::data_cr:
      return c == '\r' ? State::data_lf : State::failed;
    case State::data_lf:
      size_seen_ = false;
      return c == '\n' ? State::size : State::failed;
    default:
      return State::failed;
  }
}

// Everything but data and trailer, byte by byte. False: it cannot be.
bool ChunkedDecoder::take_line(std::string_view bytes, std::size_t& used) {
  while (used < bytes.size() && state_ != State::data && state_ != State::trailer) {
    // What the data amounts to is allowed on top, so that a long body in honest chunks passes and
    // one in chunks of a byte, or with long extensions, does not.
    if (++overhead_bytes_ > limits_.max_chunk_overhead + data_bytes_) {
      fail(Status::content_too_large, "the chunks' sizes and extensions outweigh their data");
      return false;
    }
    state_ = next_in_line(bytes[used]);
    if (state_ == State::failed) {
      fail(Status::bad_request, "the chunked body is malformed");
      return false;
    }
    // The size alone says that it is too much: no need to wait for the data.
    if (state_ == State::data && left_ > max_bytes_ - data_bytes_) {
      fail(Status::content_too_large, "the body is too large");
      return false;
    }
    ++used;
  }
  return true;
}

Progress ChunkedDecoder::take_trailer(std::string_view bytes) {
  const std::size_t limit = std::min<std::size_t>(limits_.max_trailer_size, 0xffff);
  const std::size_t end = std::min(bytes.size(), limit);
  const auto take = [this](const FieldLine& line) {
    if (trailer_count_ == max_trailers) {
      fail(Status::request_header_fields_too_large, "there are too many trailer fields");
      return false;
    }
    trailers_[trailer_count_++] = line;
    return true;
  };
  switch (lines_.parse(bytes.data(), end, take)) {
    case FieldParser::Found::end:
      return Progress::complete;
    case FieldParser::Found::incomplete:
      return bytes.size() < limit ? Progress::incomplete
                                  : fail(Status::request_header_fields_too_large,
                                         "the trailer fields are too large");
    case FieldParser::Found::failed:
      return fail(Status::bad_request,
                  "a trailer field is not a name, a colon, a value, CR and LF");
    case FieldParser::Found::stopped:
      break;
  }
  return Progress::failed;
}

ChunkedDecoder::Result ChunkedDecoder::decode(std::string_view bytes) {
  Result result;
  if (state_ == State::trailer) {
    result.progress = take_trailer(bytes);
    if (result.progress == Progress::complete) result.used = trailer_size();
    return result;
  }
  if (state_ == State::failed || !take_line(bytes, result.used)) {
    result.progress = Progress::failed;
    return result;
  }
  if (state_ == State::data) {
    result.data = bytes.substr(result.used, left_);
    result.used += result.data.size();
    data_bytes_ += result.data.size();
    left_ -= result.data.size();
    if (left_ == 0) state_ = State::data_cr;
  }
  return result;
}

}  // namespace stagecraft
