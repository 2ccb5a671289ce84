#include "two_lanes.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "exercise.h"
#include "interleaving.h"

namespace {

using namespace stagecraft::exercise;

// All that is given out until the queue is closed and empty; for a queue that is closed already.
std::string all_of(TwoLanes& queue) {
  std::string numbers;
  while (const auto job = queue.pop()) numbers += std::to_string(job->number) + " ";
  return numbers;
}

TwoLanes::Pushed push(TwoLanes& queue, const std::string& target, int number) {
  const TwoLanes::Pushed pushed = queue.push({target, number});
  const char* const became = pushed == TwoLanes::Pushed::yes    ? "taken in"
                             : pushed == TwoLanes::Pushed::full ? "refused: full"
                                                                : "refused: closed";
  note("push " + target + " as " + std::to_string(number) + ": " + became);
  return pushed;
}

// What one consumer gets; for a thread of a scene.
struct Consumer {
  std::vector<int> numbers = {};
  bool sent_home = false;

  void take_one(TwoLanes& queue) {
    if (const auto job = queue.pop()) {
      note("  which gets job " + std::to_string(job->number));
      numbers.push_back(job->number);
    } else {
      note("  which is sent home");
      sent_home = true;
    }
  }
  void take_all(TwoLanes& queue) {
    while (!sent_home) take_one(queue);
  }
};

}  // namespace

TEST_CASE("closed_queue_takes_nothing") {
  const Story story({.did = "closed the queue, then pushed", .likely = "closed_ is not looked at"});
  TwoLanes queue({.fast = 2, .slow = 2});
  queue.close();
  CHECK(push(queue, "/", 1) == TwoLanes::Pushed::closed);
  CHECK(push(queue, "/health", 2) == TwoLanes::Pushed::closed);
  REQUIRE_SAME(all_of(queue), "");
}

TEST_CASE("first_in_first_out") {
  const Story story({.did = "pushed five jobs for the slow lane, then took them",
                     .likely = "push at one end of the lane, take at the other"});
  TwoLanes queue({.fast = 2, .slow = 9});
  for (int number = 1; number <= 5; ++number)
    REQUIRE(push(queue, "/page", number) == TwoLanes::Pushed::yes);
  queue.close();
  REQUIRE_SAME(all_of(queue), "1 2 3 4 5 ");
}

TEST_CASE("health_overtakes") {
  const Story story({.did = "pushed /, /healthy, /health, /, /health, then took all",
                     .likely = "only a job whose target is exactly /health is for the fast lane, "
                               "which goes first"});
  TwoLanes queue({.fast = 9, .slow = 9});
  push(queue, "/", 1);
  push(queue, "/healthy", 2);
  push(queue, "/health", 3);
  push(queue, "/", 4);
  push(queue, "/health", 5);
  queue.close();
  REQUIRE_SAME(all_of(queue), "3 5 1 2 4 ");
}

TEST_CASE("full_lane_refuses_its_own") {
  const Story story({.did = "filled one lane, then the other",
                     .likely = "each lane has a bound of its own: a queue that is full of work has "
                               "to answer /health all the same"});
  TwoLanes queue({.fast = 1, .slow = 2});
  CHECK(push(queue, "/", 1) == TwoLanes::Pushed::yes);
  CHECK(push(queue, "/", 2) == TwoLanes::Pushed::yes);
  CHECK(push(queue, "/", 3) == TwoLanes::Pushed::full);
  CHECK(push(queue, "/health", 4) == TwoLanes::Pushed::yes);
  CHECK(push(queue, "/health", 5) == TwoLanes::Pushed::full);
  static_cast<void>(queue.pop());
  CHECK(push(queue, "/", 6) == TwoLanes::Pushed::full);
  CHECK(push(queue, "/health", 7) == TwoLanes::Pushed::yes);
  queue.close();
  REQUIRE_SAME(all_of(queue), "7 1 2 ");
}

TEST_CASE("slow_lane_gets_its_turn") {
  const Story story({.did = "kept both lanes full, and took jobs",
                     .likely = "after most_overtaking jobs of the fast lane, the first of the slow "
                               "lane has waited long enough"});
  TwoLanes queue({.fast = 20, .slow = 20});
  // With nobody to overtake, these do not count.
  for (int number = 1; number <= 4; ++number) push(queue, "/health", number);
  std::string numbers;
  for (int taken = 0; taken < 4; ++taken) numbers += std::to_string(queue.pop()->number) + " ";
  REQUIRE_SAME(numbers, "1 2 3 4 ");

  for (int number = 11; number <= 17; ++number) push(queue, "/health", number);
  for (int number = 21; number <= 24; ++number) push(queue, "/", number);
  queue.close();
  REQUIRE_SAME(all_of(queue), "11 12 13 21 14 15 16 22 17 23 24 ");
}

TEST_CASE("closed_queue_gives_out_what_waits") {
  const Story story({.did = "pushed two jobs, closed the queue, then took all",
                     .likely =
                         "closed means that nothing more comes in; what is in it was promised "
                         "to somebody"});
  TwoLanes queue({.fast = 2, .slow = 2});
  push(queue, "/", 1);
  push(queue, "/health", 2);
  queue.close();
  REQUIRE_SAME(all_of(queue), "2 1 ");
}

TEST_CASE("two_consumers_one_item") {
  const Story story({.did = "had two consumers wait for one job, in every order of their steps",
                     .likely =
                         "between the wake-up of one and its return from wait() the other may "
                         "take the job: look again after wait(), with `while`"});
  every_interleaving([](Scene& scene) {
    TwoLanes queue({.fast = 2, .slow = 2});
    Consumer first, second;
    bool closed_too_late = false;
    scene.thread("consumer 1", [&] { first.take_one(queue); });
    scene.thread("consumer 2", [&] { second.take_one(queue); });
    scene.thread("producer", [&] { push(queue, "/", 1); });
    scene.at_rest("closer", [&] {
      closed_too_late = first.sent_home || second.sent_home;
      queue.close();
    });
    scene.play();
    INFO("consumer 1 got " << first.numbers.size() << " jobs, consumer 2 "
                           << second.numbers.size());
    REQUIRE_FALSE(closed_too_late);  // nobody is sent home before the queue is closed
    REQUIRE(first.numbers.size() + second.numbers.size() == 1);
  });
}

TEST_CASE("woken_for_no_reason") {
  const Story story({.did = "woke a consumer without a reason, as the standard allows",
                     .likely = "look again after wait(), with `while`"});
  every_interleaving([](Scene& scene) {
    TwoLanes queue({.fast = 2, .slow = 2});
    Consumer consumer;
    bool sent_home_too_early = false;
    scene.thread("consumer", [&] { consumer.take_one(queue); });
    scene.at_rest("nobody", [&] { scene.wake_for_no_reason(); });
    scene.at_rest("producer", [&] {
      sent_home_too_early = consumer.sent_home;
      push(queue, "/", 1);
    });
    scene.play();
    REQUIRE_FALSE(sent_home_too_early);
    REQUIRE(consumer.numbers == std::vector<int>{1});
  });
}

TEST_CASE("push_between_check_and_wait") {
  const Story story({.did = "pushed one job, at each moment of a pop()",
                     .likely = "the job comes after pop() has found the queue empty and before it "
                               "sleeps, so nobody is notified: check and wait under one lock, and "
                               "push under the same"});
  every_interleaving([](Scene& scene) {
    TwoLanes queue({.fast = 2, .slow = 2});
    Consumer consumer;
    scene.thread("consumer", [&] { consumer.take_one(queue); });
    scene.thread("producer", [&] { push(queue, "/health", 1); });
    scene.play();
    REQUIRE(consumer.numbers == std::vector<int>{1});
  });
}

TEST_CASE("close_between_check_and_wait") {
  const Story story({.did = "closed the queue, at each moment of a pop()",
                     .likely = "close() does not hold the lock: it comes after pop() has found the "
                               "queue open and before it sleeps"});
  every_interleaving([](Scene& scene) {
    TwoLanes queue({.fast = 2, .slow = 2});
    Consumer consumer;
    scene.thread("consumer", [&] { consumer.take_one(queue); });
    scene.thread("closer", [&] { queue.close(); });
    scene.play();
    REQUIRE(consumer.sent_home);
  });
}

TEST_CASE("close_wakes_all") {
  const Story story({.did = "closed the queue while three consumers waited",
                     .likely = "notify_one wakes one; the others wait for ever"});
  every_interleaving(
      [](Scene& scene) {
        TwoLanes queue({.fast = 2, .slow = 2});
        std::vector<Consumer> consumers(3);
        for (Consumer& consumer : consumers)
          scene.thread("consumer " + std::to_string(&consumer - consumers.data() + 1),
                       [&] { consumer.take_one(queue); });
        scene.at_rest("closer", [&] { queue.close(); });
        scene.play();
        for (const Consumer& consumer : consumers) REQUIRE(consumer.sent_home);
      },
      1);
}

TEST_CASE("each_job_once") {
  const Story story({.did = "two producers and three consumers, as the machine likes, 2000 jobs",
                     .likely = "something is read or written without the lock"});
  constexpr int jobs_each = 1000;
  TwoLanes queue({.fast = 2 * jobs_each, .slow = 2 * jobs_each});
  std::vector<Consumer> consumers(3);
  std::vector<std::thread> taking, giving;
  for (Consumer& consumer : consumers) {
    taking.emplace_back([&] {
      while (const auto job = queue.pop()) consumer.numbers.push_back(job->number);
    });
  }
  for (int producer = 0; producer < 2; ++producer) {
    giving.emplace_back([&queue, producer] {
      for (int i = 0; i < jobs_each; ++i)
        queue.push({i % 10 == 0 ? "/health" : "/", producer * jobs_each + i});
    });
  }
  for (std::thread& thread : giving) thread.join();
  queue.close();
  for (std::thread& thread : taking) thread.join();

  std::vector<int> got, expected;
  for (const Consumer& each : consumers)
    got.insert(got.end(), each.numbers.begin(), each.numbers.end());
  std::sort(got.begin(), got.end());
  for (int number = 0; number < 2 * jobs_each; ++number) expected.push_back(number);
  REQUIRE(got == expected);
}
