// Plays the stage for a Session: what a socket would bring and take, without one.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "http/session.h"
#include "unit/http/fake_postbox.h"

namespace stagecraft::testing {

inline constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

/// How much a driver does at a time.
struct Manner {
  std::size_t receive = all;        ///< bytes at a time
  std::size_t first_receive = all;  ///< the same, for the first time
  std::size_t send = all;           ///< bytes at a time
};

/// Writes down what a session tells, one line for each event: `read_request 18`, `answered GET /a
/// 200 5`.
class Recorder : public Observer {
 public:
  void event(SessionEvent event, const ConnectionInfo& connection,
             std::uint64_t bytes) noexcept override;
  void answered(const ConnectionInfo& connection, const Request* request, std::string_view pattern,
                Status status, std::uint64_t body_bytes) noexcept override;
  std::vector<std::string> lines;
};

/// One connection. The client's side is feed() and end_input(); run() goes on until the session
/// needs something that is not there, and the other members are for tests that go step by step.
class Driver {
 public:
  explicit Driver(Application application, const Limits& limits = {}, Manner manner = {});
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// The client sends.
  Driver& feed(std::string_view bytes);
  /// The client has sent all that it will.
  Driver& end_input();

  /// Does what the session says, and takes letters from the postbox when it waits. Returns the step
  /// at which it stands: `receive` without input, `wait` without a letter, `close`, `reset`, and
  /// any step that it was told to stop at.
  Step run();
  /// As run(), but stops before it does STEP.
  Step run_until(Step step);

  /// What the session says now. Asks twice: the answer must be the same.
  Step step();
  void receive();
  void handle();             ///< runs the handler, then handled()
  void send(std::size_t n);  ///< at most so many bytes
  bool deliver();            ///< takes a letter from the postbox; what answer() said, false if none

  Session& session() { return *session_; }
  Workspace& workspace() { return workspace_; }
  Workspace::Common& common() { return common_; }
  ConnectionInfo& connection() { return connection_; }
  FakePostbox& postbox() { return *postbox_; }
  Recorder& recorder() { return recorder_; }

  std::string output;       ///< all that was sent
  std::vector<Step> steps;  ///< all that was done
  bool shut_down = false;
  std::size_t unread() const { return input_.size(); }
  std::size_t count(Step step) const;

 private:
  Limits limits_;
  Manner manner_;
  Recorder recorder_;
  Workspace::Common common_;
  Workspace workspace_;
  std::shared_ptr<FakePostbox> postbox_ = std::make_shared<FakePostbox>();
  ConnectionInfo connection_;
  std::unique_ptr<Session> session_;
  std::string input_;
  bool input_ended_ = false;
  bool received_ = false;
};

}  // namespace stagecraft::testing

namespace stagecraft {
// For messages of failed checks; Catch2 finds them in the namespace of their types.
std::ostream& operator<<(std::ostream& out, Step step);
std::ostream& operator<<(std::ostream& out, Timer timer);
}  // namespace stagecraft
