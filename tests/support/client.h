// A TCP client that sends exactly the bytes it is told to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/deadline.h"
#include "support/http_response.h"

namespace stagecraft::testing {

/// Where a server listens.
struct Endpoint {
  std::string host;
  std::uint16_t port = 0;

  /// `HOST:PORT`, as in a Host field.
  std::string text() const;
};

/// `HOST:PORT` taken apart, `[::1]:80` too. Throws std::invalid_argument.
Endpoint parse_endpoint(std::string_view text);

/// How a connection stands, as far as has been read.
enum class Ending {
  open,           ///< neither of the two yet
  end_of_stream,  ///< the server sent all it had to send and closed (FIN)
  reset           ///< the server threw the connection away (RST); what was under way may be lost
};

/// One connection to a server, used by one thread. Every wait has a bound of ten seconds (times
/// STAGECRAFT_TIME_SCALE); a wait that reaches it throws std::runtime_error with the whole
/// conversation so far, and so does an answer that never comes.
class Client {
 public:
  /// Connects; throws std::runtime_error if nobody listens there. With a `receive_buffer_bytes` the
  /// kernel takes about so many bytes for us and then makes the server wait until we read.
  explicit Client(const Endpoint& server, int receive_buffer_bytes = 0);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Sends all of `bytes` in as few segments as the kernel makes of it, and reads meanwhile, so
  /// that two sides which both only send cannot block each other. If the server has closed, the
  /// rest is dropped and ending() tells.
  void send(std::string_view bytes);

  /// Sends `bytes` cut at each position in `cuts` (ascending). Each piece goes when the server has
  /// received the one before; none goes any more when the server has closed.
  void send_cut(std::string_view bytes, const std::vector<std::size_t>& cuts);

  /// The same with a cut after each byte.
  void send_byte_by_byte(std::string_view bytes);

  /// Waits until the server has received everything that was sent, or has closed, or a second is
  /// over. True if the first is known to have happened.
  bool wait_until_received();

  /// Half-closes: the server sees the end of what it receives and can still answer.
  void finish_sending();

  /// The next answer, interim (1xx) or final, to a request with `method`.
  HttpResponse read_response(std::string_view method = "GET");

  /// Whether bytes have come that no read_response() has taken, or the end has. Does not wait.
  bool readable();

  /// How many bytes have come that no read_response() has taken, as far as was looked.
  std::size_t available() const { return received_.size() - consumed_; }

  /// Waits until readable().
  void wait_until_readable();

  /// Waits until readable(), but at most `time`, which is not scaled; whether it is. For clients
  /// that do something again and again until the server has had enough.
  bool readable_within(std::chrono::milliseconds time);

  /// Reads until the server closes. All bytes that came since the last read_response().
  std::string read_to_end();

  /// As far as has been read; after read_to_end() it is not `open`.
  Ending ending() const { return ending_; }

  /// Ends the connection with a reset at once, as a client that crashed.
  void reset();

  /// What was sent and what came, readable, for failure messages.
  std::string conversation() const;

  int descriptor() const { return socket_; }

 private:
  /// Waits for `events` of poll(2), at most until `deadline`; false when it is up.
  bool wait_for(short events, const Deadline& deadline) const;
  /// Stores what has come without waiting; false if there was nothing.
  bool receive_available();
  [[noreturn]] void fail(const std::string& what) const;

  int socket_ = -1;
  Ending ending_ = Ending::open;
  bool finished_sending_ = false;
  std::string sent_;
  std::string received_;      ///< everything
  std::size_t consumed_ = 0;  ///< how much of it was handed out
};

}  // namespace stagecraft::testing
