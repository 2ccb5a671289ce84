// Jobs run when they are due, in order. No test waits for a time: the first job holds the thread
// until the others have been scheduled, and then all are due.
#include "app/scheduler.h"

#include <future>
#include <memory>
#include <stdexcept>
#include <string>

#include "catch.h"

using namespace stagecraft;
using namespace std::chrono_literals;

namespace {

// Holds the scheduler's thread from construction, as seen by the test, until release().
class Hold {
 public:
  explicit Hold(Scheduler& scheduler) {
    scheduler.after(0ms, [this] {
      held_.set_value();
      released_.get_future().wait();
    });
    held_.get_future().wait();
  }
  void release() { released_.set_value(); }

 private:
  std::promise<void> held_, released_;
};

// Runs `schedule` while the thread is held, then waits for a job that is later than all others.
template <typename Schedule>
void run_all(Scheduler& scheduler, Scheduler::Clock::time_point last_due, Schedule schedule) {
  Hold hold(scheduler);
  schedule();
  std::promise<void> last;
  scheduler.at(last_due, [&last] { last.set_value(); });
  hold.release();
  last.get_future().wait();
}

}  // namespace

TEST_CASE("Jobs run in the order in which they are due") {
  Scheduler scheduler;
  std::string order;
  const auto past = Scheduler::Clock::now() - 1h;
  run_all(scheduler, past + 9ms, [&] {
    for (const int due : {3, 1, 4, 0, 5, 2}) {
      scheduler.at(past + std::chrono::milliseconds(due),
                   [&order, due] { order += std::to_string(due); });
    }
  });
  CHECK(order == "012345");
}

TEST_CASE("Of jobs that are due together the first that came runs first") {
  Scheduler scheduler;
  std::string order;
  const auto past = Scheduler::Clock::now() - 1h;
  run_all(scheduler, past + 1ms, [&] {
    for (char name = 'a'; name <= 'z'; ++name) {
      scheduler.at(past, [&order, name] { order += name; });
    }
  });
  CHECK(order == "abcdefghijklmnopqrstuvwxyz");
}

TEST_CASE("A job that is due earlier overtakes one that is waited for") {
  Scheduler scheduler;
  bool late_ran = false;
  scheduler.after(1h, [&late_ran] { late_ran = true; });
  std::promise<void> early;
  scheduler.after(1ms, [&early] { early.set_value(); });
  early.get_future().wait();
  CHECK_FALSE(late_ran);
}

TEST_CASE("A job never runs before it is due") {
  Scheduler scheduler;
  std::promise<Scheduler::Clock::time_point> ran;
  const auto due = Scheduler::Clock::now() + 20ms;
  scheduler.at(due, [&ran] { ran.set_value(Scheduler::Clock::now()); });
  CHECK((ran.get_future().get() >= due));
}

TEST_CASE("A job that throws is the only one that fails") {
  Scheduler scheduler;
  std::promise<void> next;
  scheduler.after(0ms, [] { throw std::runtime_error("this job always fails"); });
  scheduler.after(0ms, [&next] { next.set_value(); });
  next.get_future().wait();
}

TEST_CASE("A job is destroyed after it has run, and with the scheduler if it never does") {
  auto owned = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = owned;
  {
    Scheduler scheduler;
    const auto past = Scheduler::Clock::now() - 1h;
    run_all(scheduler, past, [&] { scheduler.at(past, [owned = std::move(owned)] {}); });
    CHECK(seen.expired());
    owned = std::make_shared<int>(2);
    scheduler.after(1h, [owned] {});
    CHECK(owned.use_count() == 2);
  }
  CHECK(owned.use_count() == 1);
}

TEST_CASE("A scheduler that is never used has no thread to wait for") {
  const Scheduler scheduler;
  SUCCEED();
}
