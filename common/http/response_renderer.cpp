#include "http/response_renderer.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::string_view crlf = "\r\n";

// The lines of a head that are written here, all together, at most: the longest reason phrase has
// 31 bytes, the longest number 20.
constexpr std::size_t max_own_lines = 256;

// Writes an answer's head into room that was made for all of it at once, so that no line has to ask
// whether there is any.
class HeadWriter {
 public:
  explicit HeadWriter(char* room) : begin_(room), next_(room) {}

  void put(std::string_view bytes) {
    if (bytes.empty()) return;  // memcpy(3) takes no null pointer, not even for nothing
    std::memcpy(next_, bytes.data(), bytes.size());
    next_ += bytes.size();
  }
  void put(std::uint64_t number) {
    constexpr int longest = std::numeric_limits<std::uint64_t>::digits10 + 1;
    next_ = std::to_chars(next_, next_ + longest, number).ptr;
  }
  std::size_t size() const { return static_cast<std::size_t>(next_ - begin_); }

 private:
  char* begin_;
  char* next_;
};

void put_status_line(HeadWriter& head, Status status) {
  if (status == Status::ok) return head.put("HTTP/1.1 200 OK\r\n");
  head.put("HTTP/1.1 ");
  head.put(code(status));
  head.put(" ");
  head.put(reason_phrase(status));
  head.put(crlf);
}

void put_content_length(HeadWriter& head, std::uint64_t length) {
  head.put("Content-Length: ");
  head.put(length);
  head.put(crlf);
}

// RFC 9112 section 9.3: persistence is the default of 1.1 and must be confirmed to a 1.0 client;
// Upgrade must be listed (RFC 9110 section 7.8).
std::string_view connection_line(const Addressee& to, bool upgrade) {
  if (upgrade) {
    return to.keep ? "Connection: upgrade\r\n" : "Connection: close, upgrade\r\n";
  }
  if (!to.keep) return "Connection: close\r\n";
  return to.minor_version == 0 ? "Connection: keep-alive\r\n" : "";
}

// RFC 2068 section 19.7.1.1. A client of 1.0 that asks to keep a connection is told for how long;
// one of 1.1 knows that any may end, and is spared the bytes.
void put_keep_alive(HeadWriter& head, std::chrono::seconds idle) {
  head.put("Keep-Alive: timeout=");
  head.put(static_cast<std::uint64_t>(idle.count()));
  head.put(crlf);
}

}  // namespace

std::string_view ResponseRenderer::content(const Response& response) {
  switch (response.body_) {
    case Response::Body::text:
      return response.text_view();
    case Response::Body::content:
      return response.content_;
    case Response::Body::constant:
      return response.constant_;
    default:
      return {};
  }
}

std::uint64_t ResponseRenderer::size(const Response& response) {
  if (response.body_ == Response::Body::file) return response.file_.length;
  if (response.body_ == Response::Body::stream) return response.length_.value_or(0);
  return content(response).size();
}

Delivery ResponseRenderer::delivery(const Response& response, const Addressee& to) {
  switch (response.body_) {
    case Response::Body::file:
      return response.file_.length > 0 ? Delivery::from_file : Delivery::done;
    case Response::Body::raw:
      return Delivery::to_close;
    case Response::Body::stream:
      if (response.length_) return Delivery::counted;
      return to.minor_version >= 1 ? Delivery::chunked : Delivery::to_close;
    default:
      return content(response).size() >= reference_size ? Delivery::by_reference : Delivery::done;
  }
}

bool ResponseRenderer::keeps(const Response& response, const Addressee& to) {
  if (response.close_after_ || response.body_ == Response::Body::raw) return false;
  const bool ends_with_connection = response.body_ == Response::Body::stream &&
                                    delivery(response, to) == Delivery::to_close &&
                                    to.method != Method::head && !has_no_body(response.status_);
  return to.keep && !ends_with_connection;
}

void ResponseRenderer::render(Response& response, const Addressee& to,
                              std::string_view common_fields, Exchange& exchange) {
  Buffer& out = exchange.output;
  const bool raw = response.body_ == Response::Body::raw;
  const bool bodiless = has_no_body(response.status_) && !raw;
  const Delivery delivery = ResponseRenderer::delivery(response, to);
  const std::uint64_t length = size(response);

  const std::string_view fields = response.fields();
  const std::string_view copied = delivery == Delivery::done ? content(response) : "";
  out.reserve(max_own_lines + common_fields.size() + fields.size() + copied.size());
  HeadWriter head(out.room().data());
  put_status_line(head, response.status_);
  head.put(common_fields);
  head.put(fields);
  // A switch of protocols is not the end of the connection, though no HTTP follows it.
  const bool switches = response.status_ == Status::switching_protocols;
  head.put(connection_line(switches ? Addressee{to.method, 1, true} : to,
                           switches || response.names_upgrade_));
  if (to.idle.count() > 0) put_keep_alive(head, to.idle);
  if (!bodiless && !raw) {
    if (response.status_ == Status::reset_content) {
      put_content_length(head, 0);  // RFC 9110 section 15.3.6
    } else if (delivery == Delivery::chunked) {
      head.put("Transfer-Encoding: chunked\r\n");
    } else if (delivery != Delivery::to_close) {
      put_content_length(head, length);
    }
  }
  head.put(crlf);
  out.commit(head.size());

  exchange.delivery = Delivery::done;
  exchange.answer_status = response.status_;
  exchange.answer_bytes = 0;
  if (!raw &&
      (bodiless || to.method == Method::head || response.status_ == Status::reset_content)) {
    return;
  }
  exchange.delivery = delivery;
  exchange.answer_bytes = length;
  switch (delivery) {
    case Delivery::done:
      out.append(copied);
      break;
    case Delivery::by_reference:
      exchange.large = std::move(response.content_);
      exchange.reference =
          response.body_ == Response::Body::constant ? response.constant_ : exchange.large;
      break;
    case Delivery::from_file:
      exchange.file = std::move(response.file_);
      break;
    case Delivery::counted:
    case Delivery::chunked:
    case Delivery::to_close:
      exchange.answer_bytes = 0;  // counted as they are pulled
      exchange.source_left = length;
      exchange.source = std::move(response.source_);
      exchange.raw_stream = std::exchange(response.raw_stream_, nullptr);
      if (response.resume_) exchange.resume = std::move(response.resume_);
      exchange.flow = Flow::more;
      break;
  }
}

Flow ResponseRenderer::pull(Exchange& exchange, std::size_t room) {
  Buffer& out = exchange.output;
  // Four digits count a chunk, so it stays below 64 KiB.
  room = std::min<std::size_t>(room, 0xffff);
  if (exchange.delivery == Delivery::counted) {
    room = static_cast<std::size_t>(std::min<std::uint64_t>(room, exchange.source_left));
    if (room == 0) return exchange.flow = Flow::end;
  }
  const bool chunked = exchange.delivery == Delivery::chunked;
  // A chunk's size is written in front of it once it is known; what the shorter sizes leave free is
  // closed up.
  constexpr std::size_t prefix = 6;  // "ffff" CR LF
  out.reserve(prefix + room + 2 + 5);
  char* begin = out.room().data();
  char* data = begin + (chunked ? prefix : 0);
  Produced produced;
  try {
    produced = exchange.source->produce({data, room});
  } catch (...) {
    produced.flow = Flow::failed;  // the status is long sent: all that is left is to break off
  }
  assert(produced.bytes <= room);
  if (produced.flow == Flow::failed) return exchange.flow = Flow::failed;
  // A source that says `more` without giving any would turn us in circles.
  if (produced.flow == Flow::more && produced.bytes == 0) return exchange.flow = Flow::failed;

  exchange.answer_bytes += produced.bytes;
  if (!chunked) {
    out.commit(produced.bytes);
  } else if (produced.bytes > 0) {
    char* p = std::to_chars(begin, begin + 4, produced.bytes, 16).ptr;
    *p++ = '\r';
    *p++ = '\n';
    std::memmove(p, data, produced.bytes);
    p += produced.bytes;
    *p++ = '\r';
    *p++ = '\n';
    out.commit(static_cast<std::size_t>(p - begin));
  }
  if (chunked && produced.flow == Flow::end) out.append("0\r\n\r\n");
  if (exchange.delivery == Delivery::counted) {
    exchange.source_left -= produced.bytes;
    if (exchange.source_left == 0) return exchange.flow = Flow::end;
    if (produced.flow == Flow::end) return exchange.flow = Flow::failed;
  }
  return exchange.flow = produced.flow;
}

}  // namespace stagecraft
