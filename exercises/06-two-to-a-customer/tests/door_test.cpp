#include "door.h"

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "exercise.h"
#include "interleaving.h"

namespace {

using namespace stagecraft::exercise;

const std::string ann = "127.0.0.1";
const std::string bob = "127.0.0.2";

// Threads that run only when the test says so, and one after the other.
class ThreadsOnCall : public Threads {
 public:
  void start(std::function<void()> body) override {
    if (none_left)
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    note("thread " + std::to_string(++started) + " is started");
    waiting_.push_back(std::move(body));
  }

  // Runs the one that was started first, of those that have not run yet, to its end. An exception
  // that gets out of it would end the whole program, if it were a real one.
  void run_next() {
    const std::function<void()> body = std::move(waiting_.front());
    waiting_.pop_front();
    try {
      body();
      note("a thread has ended");
    } catch (const std::exception& failure) {
      note(std::string("a thread was ended by an exception: ") + failure.what());
    }
  }
  void run_all() {
    while (any()) run_next();
  }
  bool any() const { return !waiting_.empty(); }

  bool none_left = false;
  int started = 0;

 private:
  std::deque<std::function<void()>> waiting_;
};

// What was served, as "1 2 3 ".
struct Served {
  std::string numbers = {};

  void operator()(const Visitor& visitor) {
    note(std::to_string(visitor.number) + " of " + visitor.address + " is served");
    numbers += std::to_string(visitor.number) + " ";
  }
};

Door::Arrived arrive(Door& door, const std::string& address, int number) {
  const Door::Arrived arrived = door.arrive({address, number});
  note(std::to_string(number) + " of " + address + " has come: " +
       (arrived == Door::Arrived::waits     ? "waits"
        : arrived == Door::Arrived::refused ? "refused"
                                            : "has a thread"));
  return arrived;
}

}  // namespace

TEST_CASE("everybody_is_served") {
  const Story story({.did = "two visitors of one address came, then one of another"});
  ThreadsOnCall threads;
  Served served;
  Door door({.inside = 2, .waiting = 8}, threads, std::ref(served));
  CHECK(arrive(door, ann, 1) == Door::Arrived::has_a_thread);
  CHECK(arrive(door, ann, 2) == Door::Arrived::has_a_thread);
  CHECK(arrive(door, bob, 3) == Door::Arrived::has_a_thread);
  threads.run_all();
  REQUIRE_SAME(served.numbers, "1 2 3 ");
}

TEST_CASE("tasks_at_most_limit") {
  const Story story({.did = "six visitors of one address came, and none left",
                     .likely = "who waits must not have a thread: count the places where visitors "
                               "arrive, and not on their threads"});
  ThreadsOnCall threads;
  Served served;
  Door door({.inside = 2, .waiting = 8}, threads, std::ref(served));
  for (int number = 1; number <= 6; ++number) {
    const Door::Arrived arrived = arrive(door, ann, number);
    CHECK(arrived == (number <= 2 ? Door::Arrived::has_a_thread : Door::Arrived::waits));
  }
  REQUIRE(threads.started == 2);
}

TEST_CASE("other_address_is_served") {
  const Story story(
      {.did = "four visitors of one address came, of whom none left, then one of another",
       .likely = "one limit for all, instead of one for each address"});
  ThreadsOnCall threads;
  Served served;
  Door door({.inside = 2, .waiting = 8}, threads, std::ref(served));
  for (int number = 1; number <= 4; ++number) arrive(door, ann, number);
  REQUIRE(arrive(door, bob, 5) == Door::Arrived::has_a_thread);
}

TEST_CASE("first_come_first_served") {
  const Story story(
      {.did = "five visitors of one address came; then those inside left",
       .likely = "the place of one who leaves goes to the one who has waited longest"});
  ThreadsOnCall threads;
  Served served;
  Door door({.inside = 1, .waiting = 8}, threads, std::ref(served));
  for (int number = 1; number <= 5; ++number) arrive(door, ann, number);
  threads.run_all();
  REQUIRE_SAME(served.numbers, "1 2 3 4 5 ");
}

TEST_CASE("waiting_room_is_bounded") {
  const Story story({.did = "more visitors of one address came than may be inside and wait",
                     .likely = "those who wait have a bound too"});
  ThreadsOnCall threads;
  Served served;
  Door door({.inside = 1, .waiting = 2}, threads, std::ref(served));
  CHECK(arrive(door, ann, 1) == Door::Arrived::has_a_thread);
  CHECK(arrive(door, ann, 2) == Door::Arrived::waits);
  CHECK(arrive(door, ann, 3) == Door::Arrived::waits);
  CHECK(arrive(door, ann, 4) == Door::Arrived::refused);
  CHECK(arrive(door, bob, 5) == Door::Arrived::has_a_thread);
  threads.run_all();
  REQUIRE_SAME(served.numbers, "1 2 3 5 ");
}

TEST_CASE("slot_returns_after_throw") {
  const Story story({.did = "serving the first of two visitors threw an exception",
                     .likely = "an exception skips the lines that give the place back, or gets out "
                               "of the thread"});
  ThreadsOnCall threads;
  Served served;
  Door door({.inside = 1, .waiting = 8}, threads, [&](const Visitor& visitor) {
    if (visitor.number == 1) throw std::runtime_error("of visitor 1");
    served(visitor);
  });
  arrive(door, ann, 1);
  arrive(door, ann, 2);
  threads.run_all();
  REQUIRE_SAME(served.numbers, "2 ");
  REQUIRE(arrive(door, ann, 3) == Door::Arrived::has_a_thread);
}

TEST_CASE("slot_returns_without_thread") {
  const Story story({.did = "there was no thread to be had for the first visitor, and one for the "
                            "second",
                     .likely = "Threads::start() throws std::system_error then, and the place that "
                               "was taken stays taken"});
  ThreadsOnCall threads;
  Served served;
  Door door({.inside = 1, .waiting = 8}, threads, std::ref(served));
  threads.none_left = true;
  CHECK(arrive(door, ann, 1) == Door::Arrived::refused);
  CHECK(door.addresses_known() == 0);
  threads.none_left = false;
  REQUIRE(arrive(door, ann, 2) == Door::Arrived::has_a_thread);
}

TEST_CASE("who_has_left_is_forgotten") {
  const Story story({.did = "visitors of a hundred addresses came and left",
                     .likely = "an address stays in the map when nobody of it is left"});
  ThreadsOnCall threads;
  Served served;
  Door door({.inside = 1, .waiting = 8}, threads, std::ref(served));
  for (int number = 1; number <= 100; ++number) {
    arrive(door, "10.0.0." + std::to_string(number), number);
    arrive(door, "10.0.0." + std::to_string(number), number);
  }
  CHECK(door.addresses_known() == 100);
  threads.run_all();
  REQUIRE(door.addresses_known() == 0);
}

TEST_CASE("arrival_while_one_leaves") {
  const Story story({.did = "a second visitor came at each moment of the first one's leaving",
                     .likely = "between the look whether somebody waits and the giving up of the "
                               "place another arrives, and waits for one who has gone: one lock "
                               "around both"});
  every_interleaving([](Scene& scene) {
    ThreadsOnCall threads;
    Served served;
    Door door({.inside = 1, .waiting = 8}, threads, std::ref(served));
    arrive(door, ann, 1);
    scene.thread("the thread of 1", [&] { threads.run_next(); });
    scene.thread("the one that accepts", [&] { arrive(door, ann, 2); });
    scene.at_rest("the thread of 2, if there is one", [&] { threads.run_all(); });
    scene.play();
    REQUIRE_SAME(served.numbers, "1 2 ");
    REQUIRE(door.addresses_known() == 0);
  });
}

TEST_CASE("two_leave_at_once") {
  const Story story({.did = "two visitors left, in every order of their steps, while two waited",
                     .likely = "something is read or written without the lock"});
  every_interleaving([](Scene& scene) {
    ThreadsOnCall threads;
    std::map<int, int> times;
    Door door({.inside = 2, .waiting = 8}, threads,
              [&](const Visitor& visitor) { ++times[visitor.number]; });
    for (int number = 1; number <= 4; ++number) arrive(door, ann, number);
    scene.thread("the thread of 1", [&] { threads.run_next(); });
    scene.thread("the thread of 2", [&] { threads.run_next(); });
    scene.at_rest("other threads", [&] { threads.run_all(); });
    scene.play();
    REQUIRE(times == std::map<int, int>{{1, 1}, {2, 1}, {3, 1}, {4, 1}});
    REQUIRE(door.addresses_known() == 0);
  });
}

namespace {

// Real ones.
class RealThreads : public Threads {
 public:
  void start(std::function<void()> body) override { threads_.emplace_back(std::move(body)); }
  void join() {
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace

TEST_CASE("never_more_than_the_limit") {
  const Story story({.did = "300 visitors of three addresses came, as the machine likes",
                     .likely = "something is read or written without the lock"});
  RealThreads threads;
  std::array<std::atomic<int>, 3> inside{};
  std::atomic<int> served = 0, too_many = 0;
  Door door({.inside = 2, .waiting = 300}, threads, [&](const Visitor& visitor) {
    std::atomic<int>& count = inside.at(static_cast<std::size_t>(visitor.number % 3));
    if (++count > 2) ++too_many;
    std::this_thread::yield();
    --count;
    ++served;
  });
  for (int number = 0; number < 300; ++number)
    door.arrive({"10.0.0." + std::to_string(number % 3), number});
  threads.join();
  CHECK(too_many == 0);
  REQUIRE(served == 300);
}
