// The pool of threads: order, bounds, growth, the end. Catch2's checks are for one thread only, so
// jobs just write down what they did.
#include "thread_pool.h"

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "catch.h"
#include "support/deadline.h"

using namespace stagecraft;
using namespace std::chrono_literals;
using Submitted = ThreadPool::Submitted;

namespace {

// Something that happens a number of times, and can be waited for.
class Event {
 public:
  void happen() {
    MutexLock lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  bool happened() {
    MutexLock lock(mutex_);
    return count_ > 0;
  }
  // False: it has not happened `count` times although the test has waited for long.
  bool has_happened(int count = 1) {
    const auto end = std::chrono::steady_clock::now() + testing::scaled(testing::default_patience);
    MutexLock lock(mutex_);
    while (count_ < count) {
      if (changed_.wait_until(mutex_, end) == std::cv_status::timeout) break;
    }
    return count_ >= count;
  }

 private:
  Mutex mutex_;
  ConditionVariable changed_;
  int count_ GUARDED_BY(mutex_) = 0;
};

class FunctionJob final : public Job {
 public:
  explicit FunctionJob(std::function<void()> body) : body_(std::move(body)) {}
  void run() noexcept override { body_(); }

 private:
  std::function<void()> body_;
};

// Jobs that stay on their workers until they are let go. To be destroyed after their pool.
class Blockers {
 public:
  Job& next() {
    return jobs_.emplace_back([this] {
      entered.happen();
      door_.has_happened();
    });
  }
  void let_go() { door_.happen(); }

  Event entered;

 private:
  Event door_;
  std::deque<FunctionJob> jobs_;
};

// Jobs that write their names, in the order in which they run. To be destroyed after their pool.
class Writers {
 public:
  Job& next(char name) {
    return jobs_.emplace_back([this, name] { write(name); });
  }
  void write(char name) {
    MutexLock lock(mutex_);
    written_ += name;
  }
  std::string written() {
    MutexLock lock(mutex_);
    return written_;
  }

 private:
  Mutex mutex_;
  std::string written_ GUARDED_BY(mutex_);
  std::deque<FunctionJob> jobs_;
};

// Lets `event` happen when the thread ends that has touched it.
struct AtThreadEnd {
  ~AtThreadEnd() {
    if (event != nullptr) event->happen();
  }
  Event* event = nullptr;
};
thread_local AtThreadEnd at_thread_end;

}  // namespace

TEST_CASE("Jobs are done in the order in which they were queued") {
  Blockers blockers;
  Writers writers;
  {
    ThreadPool pool({.workers = 1});
    pool.submit(blockers.next());
    for (const char name : {'a', 'b', 'c', 'd'}) pool.submit(writers.next(name));
    CHECK(writers.written().empty());
    blockers.let_go();
  }
  CHECK(writers.written() == "abcd");
}

TEST_CASE("A full queue takes no job, until a worker has taken one from it") {
  Blockers first;
  Blockers second;
  Writers writers;
  {
    ThreadPool pool({.workers = 1, .queue = 2});
    CHECK((pool.submit(first.next()) == Submitted::yes));
    REQUIRE(first.entered.has_happened());
    CHECK((pool.submit(second.next()) == Submitted::yes));
    CHECK((pool.submit(writers.next('a')) == Submitted::yes));
    Job& refused = writers.next('b');
    CHECK((pool.submit(refused) == Submitted::full));
    first.let_go();
    REQUIRE(second.entered.has_happened());
    CHECK((pool.submit(refused) == Submitted::yes));
    CHECK((pool.submit(writers.next('c')) == Submitted::full));
    second.let_go();
  }
  CHECK(writers.written() == "ab");
}

TEST_CASE("A job that queues itself again keeps its place in a full queue, and goes to its end") {
  Blockers blockers;
  Writers writers;
  Event done;
  std::optional<ThreadPool> pool(std::in_place, ThreadPool::Size{.workers = 1, .queue = 1});
  int turns = 0;
  FunctionJob again([&] {
    writers.write('r');
    if (++turns == 3 || !pool->resubmit(again)) done.happen();
  });
  pool->submit(blockers.next());
  REQUIRE(blockers.entered.has_happened());
  CHECK((pool->submit(again) == Submitted::yes));
  CHECK((pool->submit(writers.next('x')) == Submitted::full));
  CHECK(pool->resubmit(writers.next('a')));
  blockers.let_go();
  REQUIRE(done.has_happened());
  pool.reset();
  CHECK(writers.written() == "rarr");
}

TEST_CASE("As many jobs are done at once as there are workers, and no more") {
  Blockers blockers;
  Blockers last;
  {
    ThreadPool pool({.workers = 3, .workers_max = 0});
    for (int i = 0; i < 3; ++i) pool.submit(blockers.next());
    REQUIRE(blockers.entered.has_happened(3));
    pool.submit(last.next());
    CHECK(pool.threads() == 3);
    CHECK_FALSE(last.entered.happened());
    blockers.let_go();
    CHECK(last.entered.has_happened());
    last.let_go();
  }
}

TEST_CASE("While all workers are busy it grows, to its bound") {
  Blockers blockers;
  Writers writers;
  {
    ThreadPool pool({.workers = 1, .workers_max = 3});
    for (int i = 0; i < 3; ++i) pool.submit(blockers.next());
    REQUIRE(blockers.entered.has_happened(3));
    pool.submit(writers.next('a'));
    CHECK(pool.threads() == 3);
    blockers.let_go();
  }
  CHECK(writers.written() == "a");
}

TEST_CASE("A job that queues itself again makes it grow as well") {
  Blockers blockers;
  Event done;
  std::optional<ThreadPool> pool(std::in_place, ThreadPool::Size{.workers = 1, .workers_max = 2});
  FunctionJob second([&] { done.happen(); });
  FunctionJob first([&, &blocker = blockers.next()] {
    pool->resubmit(second);
    blocker.run();
  });
  pool->submit(first);
  CHECK(done.has_happened());
  blockers.let_go();
  pool.reset();  // before the jobs that it may still be in
}

TEST_CASE("Workers beyond the first end when they have had nothing to do, and may come again") {
  Event ended;
  ThreadPool pool({.workers = 1, .workers_max = 3, .retirement = 1ms});
  for (int round = 1; round <= 2; ++round) {
    Blockers blockers;
    Event left;
    std::deque<FunctionJob> jobs;
    for (int i = 0; i < 3; ++i) {
      pool.submit(jobs.emplace_back([&, job = &blockers.next()] {
        at_thread_end.event = &ended;
        job->run();
        left.happen();
      }));
    }
    REQUIRE(blockers.entered.has_happened(3));
    CHECK(pool.threads() == 3);
    blockers.let_go();
    REQUIRE(left.has_happened(3));
    REQUIRE(ended.has_happened(2 * round));
    CHECK(pool.threads() == 1);
  }
}

TEST_CASE("A closed pool takes no job, and does those that it has") {
  Blockers blockers;
  Writers writers;
  {
    ThreadPool pool({.workers = 1});
    pool.submit(blockers.next());
    pool.submit(writers.next('a'));
    pool.submit(writers.next('b'));
    pool.close();
    CHECK((pool.submit(writers.next('x')) == Submitted::closed));
    CHECK_FALSE(pool.resubmit(writers.next('y')));
    blockers.let_go();
  }
  CHECK(writers.written() == "ab");
}

TEST_CASE("Closing ends workers that wait for a job") {
  Event ended;
  FunctionJob job([&] { at_thread_end.event = &ended; });
  ThreadPool pool({.workers = 1});
  pool.submit(job);
  pool.close();
  CHECK(ended.has_happened());
  CHECK(pool.threads() == 0);
}

TEST_CASE("The pool does not touch a job that has been run: it may be gone") {
  Event done;
  class OneShot final : public Job {
   public:
    explicit OneShot(Event& done) : done_(done) {}
    void run() noexcept override {
      Event& done = done_;
      delete this;
      done.happen();
    }

   private:
    Event& done_;
  };
  ThreadPool pool({.workers = 2});
  for (int i = 0; i < 10; ++i) pool.submit(*new OneShot(done));
  CHECK(done.has_happened(10));
}

TEST_CASE("Jobs from many threads are each done once") {
  constexpr int jobs_each = 500;
  std::atomic<std::size_t> count = 0;
  std::array<std::deque<FunctionJob>, 4> jobs;
  for (std::deque<FunctionJob>& own : jobs) {
    for (int i = 0; i < jobs_each; ++i) own.emplace_back([&] { ++count; });
  }
  {
    ThreadPool pool({.workers = 2, .workers_max = 8, .queue = 16, .retirement = 1ms});
    std::deque<std::thread> producers;
    for (std::deque<FunctionJob>& own : jobs) {
      producers.emplace_back([&] {
        for (FunctionJob& job : own) {
          while (pool.submit(job) == Submitted::full) std::this_thread::yield();
        }
      });
    }
    for (std::thread& producer : producers) producer.join();
  }
  CHECK(count == jobs.size() * jobs_each);
}

TEST_CASE("A pool that cannot have a single worker says so") {
  // More than there are addresses for.
  CHECK_THROWS_AS(ThreadPool({.workers = 2, .stack_size = std::size_t{1} << 50}),
                  std::system_error);
}
