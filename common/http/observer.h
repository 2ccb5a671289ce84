// What a session tells of its work to those who log and count.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/request.h"

namespace stagecraft {

/// Moments in a connection's life that only the session sees; the stage sees the others (accepted,
/// bytes read, bytes written). Named as microhttp (https://github.com/ebarlas/microhttp) names its
/// log events.
enum class SessionEvent : std::uint8_t {
  read_request,      ///< a request is whole; bytes: its size
  pipeline_request,  ///< the same, and it was there already when the one before was answered
  exceed_request_max_close,  ///< a limit was passed and the connection will close; bytes: read so
                             ///< far
  request_timeout,           ///< a timer ran out
  response_ready,            ///< an answer is rendered; bytes: its size as far as it is known
  response_ready_error,      ///< it could not be rendered, or its source has failed
  write_response,            ///< no answer is left to send; bytes: of the send that did it
  close_after_response,      ///< all is sent and the connection closes
};

/// The event's name as it stands in logs: "read_request".
std::string_view name(SessionEvent event);

/// Called on the session's thread, in the middle of its work: must be quick, and must not call the
/// session. A Workspace without one tells nothing and costs nothing.
class Observer {
 public:
  /// Whether somebody wants to see whole heads.
  enum class Heads : std::uint8_t { unwanted, wanted };
  /// Which events somebody wants to hear of. Three or four belong to each request, so what nobody
  /// reads must not even cost a call.
  enum class Events : std::uint8_t { timeouts, all };

  explicit Observer(Heads heads = Heads::unwanted, Events events = Events::all)
      : heads_(heads), events_(events) {}
  virtual ~Observer() = default;
  virtual void event(SessionEvent event, const ConnectionInfo& connection,
                     std::uint64_t bytes) noexcept = 0;
  /// An answer is complete. `request` is nullptr if its head could not be read; `pattern` is the
  /// route's, or empty; `body_bytes` as they went out, before any chunked framing.
  virtual void answered(const ConnectionInfo& connection, const Request* request,
                        std::string_view pattern, Status status,
                        std::uint64_t body_bytes) noexcept = 0;
  /// An answer's head is rendered: its lines as they go out, with CRLF between them. `request` is
  /// nullptr if its own head could not be read. Called only if heads are wanted.
  virtual void head(const Request* /*request*/, std::string_view /*answer_head*/) noexcept {}

  bool wants_heads() const { return heads_ == Heads::wanted; }
  bool wants(SessionEvent event) const {
    return events_ == Events::all || event == SessionEvent::request_timeout;
  }

 private:
  const Heads heads_;
  const Events events_;
};

}  // namespace stagecraft
