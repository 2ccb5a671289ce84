#include "interleaving.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "exercise.h"
#include "hooked_mutex.h"
#include "telling.h"

namespace stagecraft::exercise {
namespace {

constexpr int most_steps = 2000;  // no scene needs a tenth of it

/// Thrown at a pause when the scene is over: unwinds the thread. No std::exception, so that it gets
/// through a handler for those.
struct Abandoned {};

/// A place at which more than one thread could go on.
struct Choice {
  std::size_t taken = 0;
  std::size_t options = 1;
};

}  // namespace

/// Plays one scene. One thread of it runs at a time: who is `on_`, or the director.
class Scene::Director {
 public:
  Director(std::vector<Choice>& choices, int interruptions)
      : choices_(choices), interruptions_left_(interruptions) {}
  ~Director() { end(); }

  void add(std::string name, std::function<void()> body, bool at_rest);
  void play();

  // On a thread of the scene.
  void lock(const void* mutex);
  void unlock(const void* mutex);
  void wait(const void* condition, const void* mutex);
  void notify(const void* condition, bool all);
  void wake_for_no_reason();

  static thread_local Director* mine;  ///< of this thread; nullptr if it is in no scene

 private:
  struct Player {
    std::string name;
    std::function<void()> body;
    bool at_rest = false;
    bool ended = false;
    const void* needs = nullptr;      ///< the mutex that it wants to have
    const void* sleeps = nullptr;     ///< the condition on which it waits
    const void* returning = nullptr;  ///< the mutex that it takes when it is woken
    std::thread thread;
  };

  void run(Player& player);
  void pause(std::unique_lock<std::mutex>& lock);
  Player* next();
  bool can_go_on(const Player& player) const;
  bool gets_lock(const Player& player) const;
  void say(const std::string& what);
  void wrong(const std::string& what);
  void end();
  std::string who_waits() const;

  std::vector<Choice>& choices_;
  std::size_t choice_ = 0;
  int interruptions_left_;
  int steps_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Player> players_;
  Player* on_ = nullptr;    // whose turn it is; nullptr: the director's
  Player* last_ = nullptr;  // whose turn it was
  std::map<const void*, Player*> owners_;
  std::string wrong_;
  bool over_ = false;
};

thread_local Scene::Director* Scene::Director::mine = nullptr;

void Scene::Director::add(std::string name, std::function<void()> body, bool at_rest) {
  Player& player = players_.emplace_back();
  player.name = std::move(name);
  player.body = std::move(body);
  player.at_rest = at_rest;
}

void Scene::Director::run(Player& player) {
  mine = this;
  std::unique_lock lock(mutex_);
  try {
    changed_.wait(lock, [&] { return on_ == &player || over_; });
    if (over_) throw Abandoned();
    lock.unlock();
    player.body();
    lock.lock();
    if (!over_) say("has ended");
  } catch (const Abandoned&) {
    if (!lock.owns_lock()) lock.lock();
  } catch (const std::exception& failure) {
    if (!lock.owns_lock()) lock.lock();
    wrong(std::string("ended with an exception: ") + failure.what());
  }
  player.ended = true;
  if (on_ == &player) on_ = nullptr;
  changed_.notify_all();
}

void Scene::Director::play() {
  for (Player& player : players_) player.thread = std::thread([this, &player] { run(player); });
  {
    std::unique_lock lock(mutex_);
    while (Player* player = wrong_.empty() ? next() : nullptr) {
      if (++steps_ > most_steps) {
        wrong_ = player->name + " goes round and round, and never waits";
        break;
      }
      if (player->needs != nullptr) owners_[std::exchange(player->needs, nullptr)] = player;
      on_ = last_ = player;
      changed_.notify_all();
      changed_.wait(lock, [&] { return on_ == nullptr; });
    }
  }
  const std::string waiting = who_waits();
  end();
  if (!wrong_.empty()) FAIL(wrong_);
  if (!waiting.empty()) FAIL("nobody can go on, for ever:" << waiting);
}

/// Who is next, of those that can go on; nullptr: nobody.
Scene::Director::Player* Scene::Director::next() {
  std::vector<Player*> able;
  for (Player& player : players_)
    if (!player.at_rest && can_go_on(player)) able.push_back(&player);
  for (Player& player : players_) {
    if (!able.empty()) break;
    if (!player.at_rest || player.ended) continue;
    if (can_go_on(player)) able.push_back(&player);
  }
  if (able.empty()) return nullptr;
  able.front()->at_rest = false;  // from now on it is one like the others
  const auto same = std::find(able.begin(), able.end(), last_);
  const bool could_go_on = same != able.end();
  if (could_go_on) {
    std::iter_swap(able.begin(), same);
    if (interruptions_left_ == 0) able.resize(1);
  }
  if (able.size() == 1) return able.front();
  if (choice_ == choices_.size()) choices_.push_back({});
  Choice& choice = choices_[choice_++];
  choice.options = able.size();
  Player* const chosen = able[std::min(choice.taken, able.size() - 1)];
  if (could_go_on && chosen != last_) --interruptions_left_;
  return chosen;
}

bool Scene::Director::can_go_on(const Player& player) const {
  return !player.ended && player.sleeps == nullptr && gets_lock(player);
}

bool Scene::Director::gets_lock(const Player& player) const {
  return player.needs == nullptr || owners_.count(player.needs) == 0;
}

/// Gives the turn back, and waits for the next.
void Scene::Director::pause(std::unique_lock<std::mutex>& lock) {
  Player* const self = on_;
  on_ = nullptr;
  changed_.notify_all();
  changed_.wait(lock, [&] { return on_ == self || over_; });
  if (over_) throw Abandoned();
}

void Scene::Director::lock(const void* mutex) {
  std::unique_lock lock(mutex_);
  if (over_) throw Abandoned();
  on_->needs = mutex;
  if (owners_.count(mutex) != 0) say("wants the lock, which " + owners_[mutex]->name + " has");
  pause(lock);
  say("takes the lock");
}

void Scene::Director::unlock(const void* mutex) {
  const std::lock_guard lock(mutex_);
  if (over_) return;  // a destructor, while the thread is unwound
  if (owners_.erase(mutex) == 0) return wrong("gives a lock back that it does not hold");
  say("gives the lock back");
}

void Scene::Director::wait(const void* condition, const void* mutex) {
  std::unique_lock lock(mutex_);
  if (over_) throw Abandoned();
  pause(lock);
  if (owners_.count(mutex) == 0 || owners_[mutex] != on_) {
    wrong("waits without holding the lock");
    pause(lock);
  }
  say("waits, and gives the lock back");
  owners_.erase(mutex);
  on_->sleeps = condition;
  on_->returning = mutex;
  pause(lock);
  say("wakes up, and has the lock again");
}

void Scene::Director::notify(const void* condition, bool all) {
  std::unique_lock lock(mutex_);
  if (over_) return;
  pause(lock);
  std::string woken;
  for (Player& player : players_) {
    if (player.sleeps != condition) continue;
    player.sleeps = nullptr;
    player.needs = player.returning;
    woken += (woken.empty() ? ": " : ", ") + player.name;
    if (!all) break;
  }
  say((all ? "notifies all" : "notifies one") + (woken.empty() ? ": nobody waits" : woken));
}

void Scene::Director::wake_for_no_reason() {
  const std::lock_guard lock(mutex_);
  for (Player& player : players_) {
    if (player.sleeps == nullptr) continue;
    player.sleeps = nullptr;
    player.needs = player.returning;
    note(player.name + " is woken for no reason");
  }
}

void Scene::Director::say(const std::string& what) { note(on_->name + " " + what); }

void Scene::Director::wrong(const std::string& what) {
  say(what);
  if (wrong_.empty()) wrong_ = on_->name + " " + what;
}

std::string Scene::Director::who_waits() const {
  std::string text;
  for (const Player& player : players_) {
    if (player.ended) continue;
    text += "\n  " + player.name;
    text += player.sleeps != nullptr  ? " waits to be notified"
            : player.needs != nullptr ? " wants a lock that nobody will give back"
                                      : " has not begun, or was stopped";
  }
  return text;
}

/// Ends the threads that are left, wherever they are.
void Scene::Director::end() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  for (Player& player : players_)
    if (player.thread.joinable()) player.thread.join();
}

void Scene::thread(std::string name, std::function<void()> body) {
  director_.add(std::move(name), std::move(body), false);
}

void Scene::at_rest(std::string name, std::function<void()> body) {
  director_.add(std::move(name), std::move(body), true);
}

void Scene::wake_for_no_reason() { director_.wake_for_no_reason(); }

void Scene::play() { director_.play(); }

void every_interleaving(const std::function<void(Scene&)>& act, int interruptions) {
  std::vector<Choice> choices;
  do {
    forget_transcript();
    Scene::Director director(choices, interruptions);
    Scene scene(director);
    act(scene);
    while (!choices.empty() && choices.back().taken + 1 >= choices.back().options)
      choices.pop_back();
    if (!choices.empty()) ++choices.back().taken;
  } while (!choices.empty());
}

// Out of a scene they are the standard library's.

void Mutex::lock() {
  if (Scene::Director::mine != nullptr) return Scene::Director::mine->lock(this);
  mutex_.lock();
}

void Mutex::unlock() {
  if (Scene::Director::mine != nullptr) return Scene::Director::mine->unlock(this);
  mutex_.unlock();
}

void ConditionVariable::wait(Mutex& mutex) {
  if (Scene::Director::mine != nullptr) return Scene::Director::mine->wait(this, &mutex);
  std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
  condition_.wait(lock);
  lock.release();  // the caller's MutexLock goes on holding it
}

void ConditionVariable::notify_one() {
  if (Scene::Director::mine != nullptr) return Scene::Director::mine->notify(this, false);
  condition_.notify_one();
}

void ConditionVariable::notify_all() {
  if (Scene::Director::mine != nullptr) return Scene::Director::mine->notify(this, true);
  condition_.notify_all();
}

}  // namespace stagecraft::exercise
