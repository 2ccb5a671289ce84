// One request in flight: all that a connection needs only while it is served.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "http/application.h"
#include "http/attributes.h"
#include "http/buffer.h"
#include "http/chunked_decoder.h"
#include "http/request_parser.h"
#include "http/request_target.h"
#include "http/responder.h"
#include "http/response.h"
#include "net/output.h"

namespace stagecraft {

struct Snapshot;  // see http/workspace.h

/// How an answer's body leaves, once its head is rendered.
enum class Delivery : std::uint8_t {
  done,          // it stands behind its head in the output, or there is none
  by_reference,  // it is sent from where it is
  from_file,
  chunked,  // pulled from its source, in chunks
  counted,  // pulled, so many bytes
  to_close  // pulled, ended by the connection's end
};

/// The buffers and the state of one request and its answer. Borrowed from the Workspace at the
/// first byte of a request, given back when nothing is left to read or to send.
///
///     input:   | head | trailer | ... unread bytes ... |      (a body's bytes are taken out)
///              0      head.size          ^ unread
///     output:  | answers in order, heads and small bodies |  then one large body or file
struct Exchange {
  explicit Exchange(const Limits& limits) : parser(limits), chunked(limits) {}

  // The request. `input` begins with its first byte; pieces and offsets count from there.
  Buffer input;
  std::size_t unread =
      0;  // where the bytes begin that nobody has taken yet; 0 until the head is whole
  RequestParser parser;
  RequestTarget target;
  std::string decoded_path;
  Snapshot* snapshot = nullptr;  // the application that has the route
  const Route* route = nullptr;
  const ConnectionInfo* connection = nullptr;
  std::uint32_t number = 0;
  bool request_known = false;  // the head could be read, target and all
  Attributes attributes;

  // Its body.
  ChunkedDecoder chunked;
  Buffer body;
  std::unique_ptr<BodySink> sink;
  std::uint64_t body_left = 0;     // of a Content-Length
  std::uint64_t body_bytes = 0;    // taken in so far
  std::uint64_t body_counted = 0;  // in memory, and counted in Workspace::Common::buffered
  std::size_t trailer_begin = 0;

  // The answer being made.
  Response response;
  Deferral deferral;
  std::shared_ptr<Deferred> deferred;  // the answer that is waited for

  // What goes out.
  Buffer output;
  std::string large;           // owns what `reference` sees, unless that lives for ever
  std::string_view reference;  // a body sent from where it is
  FileRange file;
  std::unique_ptr<BodySource> source;
  RawStream* raw_stream = nullptr;  // the same object as `source`, while input may come
  std::shared_ptr<Deferred> resume;
  Delivery delivery = Delivery::done;
  Flow flow = Flow::end;           // what `source` said last
  std::uint64_t source_left = 0;   // of Delivery::counted
  std::uint64_t answer_bytes = 0;  // of the answer's body, for the log
  Status answer_status = Status::none;
  std::uint64_t since_restart = 0;  // bytes through the running timer, and in Phase::linger in all
  std::array<iovec, 2> pieces{};

  /// Ready for the next request of the same connection, whose first bytes may be there already.
  void next_request();
  /// As new, for another connection. Gives back what has grown beyond the usual.
  void reset();
};

}  // namespace stagecraft
