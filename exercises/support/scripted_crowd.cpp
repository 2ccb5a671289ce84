#include "scripted_crowd.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <stdexcept>
#include <utility>

#include "exercise.h"
#include "support/printable.h"

namespace stagecraft::exercise {
namespace {

constexpr int patience = 20;  // idle wake-ups in a row until the next moment comes all the same
constexpr int most_idle_in_a_row = 10 * patience;
constexpr std::size_t most_shown = 40;
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

int failure(int error) {
  errno = error;
  return -1;
}

std::string in_quotes(std::string_view bytes) {
  return "\"" + testing::printable(bytes, most_shown) + "\"";
}

}  // namespace

Happening connects(std::string who) { return {Happening::connects, std::move(who)}; }
Happening says(std::string who, std::string bytes) {
  return {Happening::says, std::move(who), std::move(bytes)};
}
Happening leaves(std::string who) { return {Happening::leaves, std::move(who)}; }
Happening is_reset(std::string who) { return {Happening::is_reset, std::move(who)}; }
Happening has_room(std::string who, std::size_t bytes) {
  return {Happening::has_room, std::move(who), {}, bytes};
}

class ScriptedCrowd::Listener : public FakeSocket {
 public:
  explicit Listener(ScriptedCrowd& crowd) : crowd_(crowd) {}

  int accepted() override;
  short ready(short events) override;
  bool happens_next() override { return crowd_.happens_next(); }
  ssize_t received(void*, std::size_t, int) override { return failure(ENOTCONN); }
  ssize_t sent(const void*, std::size_t, int) override { return failure(ENOTCONN); }
  int shut_down(int) override { return 0; }
  int closed() override { return 0; }

 private:
  ScriptedCrowd& crowd_;
};

class ScriptedCrowd::Client : public FakeSocket {
 public:
  Client(ScriptedCrowd& crowd, std::string called) : name(std::move(called)), crowd_(crowd) {}

  ssize_t received(void* to, std::size_t most, int flags) override;
  ssize_t sent(const void* from, std::size_t size, int flags) override;
  int shut_down(int how) override;
  int closed() override;
  short ready(short events) override;
  bool happens_next() override { return crowd_.happens_next(); }

  const std::string name;
  std::string unread = {};  ///< of what it has said
  std::string heard = {};
  bool has_left = false;
  bool end_is_known = false;  ///< recv has said so; more often it is no news
  bool was_reset = false;
  std::size_t room = unlimited;
  int closes = 0;

 private:
  ScriptedCrowd& crowd_;
};

int ScriptedCrowd::Listener::accepted() {
  if (crowd_.waiting_.empty()) {
    if (crowd_.shut_down_) return failure(EINVAL);
    if (nonblocking()) return failure(EAGAIN);
    throw Stuck{"accept() waits for a client, and everybody who is here waits with it"};
  }
  Client& client = *crowd_.waiting_.front();
  crowd_.waiting_.pop_front();
  crowd_.done();
  note("accept -> " + client.name);
  return client.descriptor();
}

short ScriptedCrowd::Listener::ready(short events) {
  crowd_.asked();
  const bool somebody = crowd_.shut_down_ || !crowd_.waiting_.empty();
  return static_cast<short>(somebody ? events & POLLIN : 0);
}

ssize_t ScriptedCrowd::Client::received(void* to, std::size_t most, int flags) {
  if (closes > 0) return failure(EBADF);
  if (was_reset) {
    note("recv from " + name + " -> ECONNRESET: it has gone");
    crowd_.done();
    return failure(ECONNRESET);
  }
  if (unread.empty()) {
    if (has_left) {
      note("recv from " + name + " -> 0: it sends no more");
      if (!std::exchange(end_is_known, true)) crowd_.done();
      return 0;
    }
    if (nonblocking() || (flags & MSG_DONTWAIT) != 0) return failure(EAGAIN);
    throw Stuck{"recv() waits for " + name + ", and everybody waits with it"};
  }
  const std::size_t size = std::min(most, unread.size());
  std::copy_n(unread.begin(), size, static_cast<char*>(to));
  note("recv from " + name + " -> " + in_quotes(unread.substr(0, size)));
  if ((flags & MSG_PEEK) == 0) {
    unread.erase(0, size);
    crowd_.done();
  }
  return static_cast<ssize_t>(size);
}

ssize_t ScriptedCrowd::Client::sent(const void* from, std::size_t size, int flags) {
  if (closes > 0) return failure(EBADF);
  if (was_reset) {
    note("send to " + name + " -> EPIPE: it has gone");
    return failure(EPIPE);
  }
  const std::size_t taken = std::min(size, room);
  if (taken < size && !nonblocking() && (flags & MSG_DONTWAIT) == 0)
    throw Stuck{"send() waits until " + name + " reads, and everybody waits with it"};
  if (taken == 0) {
    note("send to " + name + " -> " + (size == 0 ? "0: of nothing" : "EAGAIN: there is no room"));
    ++crowd_.vain_sends_;
    return size == 0 ? 0 : failure(EAGAIN);
  }
  if (room != unlimited) room -= taken;
  const std::string bytes(static_cast<const char*>(from), taken);
  heard += bytes;
  crowd_.done();
  note("send to " + name + " -> " + in_quotes(bytes) +
       (taken < size ? ", which is " + std::to_string(taken) + " of " + std::to_string(size) : ""));
  return static_cast<ssize_t>(taken);
}

int ScriptedCrowd::Client::shut_down(int how) {
  if (how != SHUT_RD) note("shutdown: " + name + " sees the end");
  return 0;
}

int ScriptedCrowd::Client::closed() {
  crowd_.done();
  note("close " + name + (closes > 0 ? ", which is closed already" : ""));
  return ++closes > 1 ? failure(EBADF) : 0;
}

short ScriptedCrowd::Client::ready(short events) {
  crowd_.asked();
  if (closes > 0) return POLLNVAL;
  short now = was_reset ? POLLERR | POLLHUP : 0;
  if (!unread.empty() || has_left || was_reset) now |= static_cast<short>(events & POLLIN);
  if (room > 0 || was_reset) now |= static_cast<short>(events & POLLOUT);
  return now;
}

ScriptedCrowd::ScriptedCrowd(std::vector<Moment> moments)
    : moments_(moments.begin(), moments.end()), listener_(std::make_unique<Listener>(*this)) {}

ScriptedCrowd::~ScriptedCrowd() = default;

int ScriptedCrowd::listener() const { return listener_->descriptor(); }

std::string ScriptedCrowd::heard_by(const std::string& who) const { return known(who).heard; }

int ScriptedCrowd::closes_of(const std::string& who) const { return known(who).closes; }

ScriptedCrowd::Client* ScriptedCrowd::client(const std::string& who) const {
  for (const auto& each : clients_)
    if (each->name == who) return each.get();
  return nullptr;
}

ScriptedCrowd::Client& ScriptedCrowd::known(const std::string& who) const {
  Client* const found = client(who);
  if (found == nullptr) throw std::logic_error(who + " has not connected");
  return *found;
}

bool ScriptedCrowd::happens_next() {
  if (shut_down_) return false;
  idle_in_a_row_ = 0;
  if (moments_.empty()) {
    note("-- the listener is shut down");
    shut_down_ = true;
    return true;
  }
  const Moment moment = std::move(moments_.front());
  moments_.pop_front();
  for (const Happening& happening : moment) happen(happening);
  return true;
}

void ScriptedCrowd::happen(const Happening& happening) {
  const std::string& who = happening.who;
  if (happening.kind == Happening::connects) {
    note("-- " + who + " connects");
    waiting_.push_back(clients_.emplace_back(std::make_unique<Client>(*this, who)).get());
    return;
  }
  Client& client = known(who);
  switch (happening.kind) {
    case Happening::connects:
      break;
    case Happening::says:
      note("-- " + who + " says " + in_quotes(happening.bytes));
      client.unread += happening.bytes;
      break;
    case Happening::leaves:
      note("-- " + who + " sends no more");
      client.has_left = true;
      break;
    case Happening::is_reset:
      note("-- " + who + " is gone");
      client.was_reset = true;
      client.unread.clear();
      break;
    case Happening::has_room:
      note("-- there is room for " + std::to_string(happening.room) + " bytes to " + who);
      client.room = client.room == unlimited ? happening.room : client.room + happening.room;
      break;
  }
}

/// A poll asks for one of ours. At the first time in each, what the one before has led to is known.
void ScriptedCrowd::asked() {
  if (std::exchange(poll_, polls_so_far()) == polls_so_far()) return;
  if (std::exchange(fruitful_, false)) {
    idle_in_a_row_ = 0;
    return;
  }
  ++idle_wakeups_;
  if (++idle_in_a_row_ == 1) note("poll returned, and nothing was done");
  if (idle_in_a_row_ % patience == 0 && happens_next()) return;
  if (idle_in_a_row_ > most_idle_in_a_row)
    throw Stuck{"poll() returns again and again, and nothing is done"};
}

}  // namespace stagecraft::exercise
