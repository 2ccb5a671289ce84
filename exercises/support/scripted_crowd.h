// A listener at which several clients come and go, by a script, for a server of one thread.
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "fake_socket.h"

namespace stagecraft::exercise {

/// Something that happens to a server.
struct Happening {
  enum Kind {
    connects,  ///< a new client, by this name
    says,      ///< the client sends `bytes`
    leaves,    ///< the client sends no more, and says so; it still reads
    is_reset,  ///< the client has gone, and what was on its way is lost
    has_room,  ///< the kernel takes `room` more bytes for this client; before, without limit
  };
  Kind kind = connects;
  std::string who;
  std::string bytes = {};
  std::size_t room = 0;
};

Happening connects(std::string who);
Happening says(std::string who, std::string bytes);
Happening leaves(std::string who);
Happening is_reset(std::string who);
Happening has_room(std::string who, std::size_t bytes);

/// What happens at once, between two looks of the server.
using Moment = std::vector<Happening>;

/// Plays a script of moments. The next one comes when the server, in poll(), would have to wait;
/// one that does not wait, and does nothing either, gets it after some time as well. After the last
/// one the listener is shut down: accept() fails with EINVAL.
///
/// A call that would have to wait elsewhere than in poll() throws Stuck.
class ScriptedCrowd {
 public:
  explicit ScriptedCrowd(std::vector<Moment> moments);
  ~ScriptedCrowd();
  ScriptedCrowd(const ScriptedCrowd&) = delete;
  ScriptedCrowd& operator=(const ScriptedCrowd&) = delete;

  /// The descriptor to hand to the code under test.
  int listener() const;

  /// All bytes that the server has sent to a client.
  std::string heard_by(const std::string& who) const;
  /// How often the server has closed the client's descriptor.
  int closes_of(const std::string& who) const;
  /// How often poll() has returned and nothing came of it: no byte was moved, nobody was accepted
  /// or closed before the next poll().
  std::size_t idle_wakeups() const { return idle_wakeups_; }
  /// How often send() was called and took nothing.
  std::size_t vain_sends() const { return vain_sends_; }

 private:
  class Listener;
  class Client;

  Client* client(const std::string& who) const;
  Client& known(const std::string& who) const;
  bool happens_next();
  void happen(const Happening& happening);
  void asked();
  void done() { fruitful_ = true; }

  std::deque<Moment> moments_;
  bool shut_down_ = false;
  std::unique_ptr<Listener> listener_;
  std::list<std::unique_ptr<Client>> clients_;
  std::deque<Client*> waiting_;  // for accept()

  std::size_t poll_ = 0;  // the one that was asked last
  bool fruitful_ = true;  // whether something was done since
  int idle_in_a_row_ = 0;
  std::size_t idle_wakeups_ = 0;
  std::size_t vain_sends_ = 0;
};

}  // namespace stagecraft::exercise
