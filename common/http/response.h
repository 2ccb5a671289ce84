// An answer as a value: what an application says, before any of it is bytes on a connection.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/request.h"
#include "http/status.h"
#include "net/output.h"

namespace stagecraft {

struct Deferral;  // who waits for a deferred answer; see http/responder.h
struct Deferred;
class Responder;
class Resumer;

/// What a BodySource says of the bytes that follow.
enum class Flow : std::uint8_t {
  more,   ///< ask again when there is room
  later,  ///< nothing now; its Resumer will say when there is more
  end,    ///< that was the last
  failed  ///< the body cannot be completed: the connection is reset, so that nobody takes it for
          ///< whole
};
struct Produced {
  std::size_t bytes = 0;
  Flow flow = Flow::end;
};

/// An answer's body, pulled on the session's thread when there is room to send.
class BodySource {
 public:
  virtual ~BodySource() = default;
  /// Writes at most room.size() bytes to the front of `room`. Must not block. With Flow::more it
  /// must have written at least one.
  virtual Produced produce(std::span<char> room) = 0;
};

/// What a connection carries after take_over(): bytes in, bytes out, no framing. write() returning
/// anything but Status::ok ends the connection.
class RawStream : public BodySink, public BodySource {
 public:
  /// The client has sent its last byte, and all of it has been written here. Returns, as produce()
  /// does, what is still to come from here; without an answer of its own nothing is, and the
  /// connection ends. On the session's thread; must not block.
  virtual Flow input_ended() { return Flow::end; }
};

/// An answer. Any thread may make, fill and move one; the session renders it on its own thread.
///
/// Fields live in wire form in a fixed block that overflows to the heap, and so does a short text:
/// a plain answer allocates nothing.
class Response {
 public:
  Response() noexcept = default;
  Response(Response&& other) noexcept;
  Response& operator=(Response&& other) noexcept;
  ~Response();

  /// Precondition: not Status::none.
  void status(Status status) {
    assert(status != Status::none);
    status_ = status;
  }
  Status status() const { return status_; }

  /// Sets a field, in place of any of that name. Throws std::invalid_argument when the name is not
  /// a token, when the value holds CR, LF, NUL or another control character (a client could
  /// otherwise write fields through us), and for the fields that the session writes: Connection,
  /// Content-Length, Date, Keep-Alive, Server, Trailer and Transfer-Encoding. The value must not be
  /// a view of this Response's own fields.
  void set_field(std::string_view name, std::string_view value);
  /// Adds a field line beside those of the same name: for Set-Cookie. Throws as set_field() does.
  void add_field(std::string_view name, std::string_view value);
  /// The value of the first field of that name set so far, in any case.
  std::optional<std::string_view> field(std::string_view name) const;

  // The body: the last of these calls counts. `type` is the Content-Type; empty sends none.

  /// A short text, copied.
  void text(std::string_view body, std::string_view type = "text/plain; charset=utf-8");
  /// A content of any size, moved in; sent by reference when it is large.
  void body(std::string content, std::string_view type);
  /// A content that lives as long as the program: not copied.
  void body_forever(std::string_view content, std::string_view type);
  /// A piece of a file, sent by sendfile(2); the descriptor goes with it.
  void file(FileRange range, std::string_view type);
  /// An error, and in `detail` what is wrong, in words for people. It is told as a page, or as
  /// application/problem+json (RFC 9457) to a client whose Accept prefers JSON: the session, which
  /// knows the request, words it when the answer is rendered.
  void problem(Status status, std::string_view detail);
  /// A body that is made while it is sent. With `length` exactly so many bytes (a source that ends
  /// early has failed), without it chunked, or ended by the close for an HTTP/1.0 client.
  void stream(std::unique_ptr<BodySource> source, std::string_view type,
              std::optional<std::uint64_t> length = {});
  /// The last answer of this connection: after its head the bytes are the stream's. With
  /// Status::switching_protocols `protocol` goes into Upgrade; ask first whether the client
  /// offered it (RFC 9110 section 7.8).
  void take_over(Status status, std::string_view protocol, std::unique_ptr<RawStream> stream);

  /// How many bytes the body has; nullopt if it is streamed and nobody knows.
  std::optional<std::uint64_t> body_size() const;
  /// Takes the body out as a source, of whatever kind it was, so that a filter may wrap it and give
  /// it back by stream(). Content-Type stays as it is. nullptr if there is none, or if the
  /// connection is taken over.
  std::unique_ptr<BodySource> take_body();

  /// The connection closes after this answer.
  void close_after() { close_after_ = true; }
  /// As new: for filters and error pages.
  void reset() noexcept {
    drop_body();
    status_ = Status::ok;
    close_after_ = names_upgrade_ = false;
    fields_size_ = 0;
    overflow_.clear();
    deferred_.reset();
    resume_.reset();
  }

  /// The answer comes later and by the Responder alone, from any thread; what is set here is
  /// dropped. In a handler only: std::logic_error on any other Response.
  Responder defer();
  /// What a BodySource that says Flow::later uses to say that there is more. In a handler only; for
  /// an answer made elsewhere Responder::resumer() gives it.
  Resumer resumer();

 private:
  friend class Session;
  friend class ResponseRenderer;
  enum class Body : std::uint8_t { none, text, constant, content, file, stream, raw };

  /// How a problem is told.
  enum class Wording : std::uint8_t { html, json };

  bool needs_wording() const { return is_problem_; }
  void word_problem(Wording wording);
  void set_type(std::string_view type);
  // Here, because the two bodies that own nothing are the usual ones.
  void drop_body() noexcept {
    if (body_ > Body::constant) give_body_back();
    body_ = Body::none;
    text_size_ = 0;
    is_problem_ = false;
  }
  void give_body_back() noexcept;
  void write_field(std::string_view name, std::string_view value);
  void remove_field(std::string_view name);
  void take(Response& other) noexcept;
  std::string_view fields() const;
  std::string_view text_view() const;

  static constexpr std::size_t block_size = 512;

  Status status_ = Status::ok;
  Body body_ = Body::none;
  bool close_after_ = false;
  bool names_upgrade_ = false;          // has an Upgrade field: Connection must list it
  bool is_problem_ = false;             // the body is what is wrong, and yet to be worded
  std::uint16_t fields_size_ = 0;       // of the block, from its front
  std::uint16_t text_size_ = 0;         // of the block, at its end
  std::string overflow_;                // all fields, once they do not fit into the block
  std::string content_;                 // Body::content, or a text that does not fit into the block
  std::string_view constant_;           // Body::constant
  FileRange file_;                      // Body::file
  std::unique_ptr<BodySource> source_;  // Body::stream and Body::raw
  RawStream* raw_stream_ = nullptr;     // the same object as source_, for Body::raw
  std::optional<std::uint64_t> length_;  // of Body::stream
  const Deferral* deferral_ = nullptr;   // set by the session while a handler has this Response
  std::shared_ptr<Deferred> deferred_;   // set by defer()
  std::shared_ptr<Deferred> resume_;     // set by resumer()
  std::array<char, block_size> block_;   // not cleared: only what the sizes name is ever read
};

}  // namespace stagecraft
