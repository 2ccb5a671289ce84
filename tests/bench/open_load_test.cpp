#include "open_load.h"

#include "answer.h"
#include "catch.h"

namespace stagecraft::bench {
namespace {

using namespace std::chrono_literals;

OpenLoadSettings settings(std::size_t connections, Time duration, Time warm_up = 0s) {
  return {.rate_per_s = 100, .connections = connections, .warm_up = warm_up, .duration = duration};
}

TEST_CASE("the requests of an open load leave on time, whatever the answers do") {
  OpenLoad load(settings(2, 40ms));
  CHECK(load.due(0ms) == 0);
  CHECK(load.due(0ms) == std::nullopt);
  CHECK(load.next_due() == 10ms);
  CHECK(load.due(10ms) == 1);
  CHECK(load.answered(0, 12ms) == OpenLoad::Next::rest);
  CHECK(load.due(20ms) == 0);
  CHECK(load.due(39ms) == std::nullopt);  // connection 1 is busy still
  CHECK(load.next_due() == std::nullopt);
  CHECK_FALSE(load.finished());
  CHECK(load.answered(1, 39ms) == OpenLoad::Next::send);
  CHECK(load.answered(0, 40ms) == OpenLoad::Next::rest);
  CHECK(load.answered(1, 41ms) == OpenLoad::Next::rest);
  CHECK(load.finished());
}

TEST_CASE("a stall counts for every request that was meant to leave during it") {
  OpenLoad load(settings(1, 100ms));
  REQUIRE(load.due(0ms) == 0);
  CHECK(load.due(90ms) == std::nullopt);  // nine more have become due
  // The server answers the first after 95 ms, and then the others at once.
  CHECK(load.answered(0, 95ms) == OpenLoad::Next::send);
  for (int i = 1; i < 9; ++i) CHECK(load.answered(0, 95ms) == OpenLoad::Next::send);
  CHECK(load.answered(0, 95ms) == OpenLoad::Next::rest);
  const OpenLoad::Result result = load.finish(100ms);
  const std::vector<Time> expected{5ms, 15ms, 25ms, 35ms, 45ms, 55ms, 65ms, 75ms, 85ms, 95ms};
  CHECK(result.latencies == expected);  // a closed loop would say: one of 95 ms, nine of 0
  CHECK(result.unanswered == 0);
}

TEST_CASE("what is never answered is among the latencies, and its connection has no share") {
  OpenLoad load(settings(2, 40ms));
  CHECK(load.due(0ms) == 0);
  CHECK(load.due(10ms) == 1);
  CHECK(load.answered(0, 11ms) == OpenLoad::Next::rest);
  CHECK(load.due(30ms) == 0);
  CHECK(load.answered(0, 30ms) == OpenLoad::Next::rest);
  CHECK(load.due(30ms) == std::nullopt);
  const OpenLoad::Result result = load.finish(50ms);
  CHECK(result.asked == 4);
  CHECK(result.unanswered == 2);
  CHECK(result.answers == std::vector<std::uint64_t>{2, 0});
  CHECK(result.latencies == std::vector<Time>{10ms, 11ms, 20ms, 40ms});
}

TEST_CASE("what leaves during the warm-up is not recorded") {
  OpenLoad load(settings(1, 30ms, 15ms));
  for (const Time moment : {0ms, 10ms, 20ms}) {
    CHECK(load.due(moment) == 0);
    CHECK(load.answered(0, moment + 1ms) == OpenLoad::Next::rest);
  }
  const OpenLoad::Result result = load.finish(30ms);
  CHECK(result.asked == 1);
  CHECK(result.answers == std::vector<std::uint64_t>{1});
}

TEST_CASE("a rate is of the answers that come within the time") {
  OpenLoad load(settings(4, 40ms, 10ms));
  for (const std::size_t user : {0u, 1u, 2u, 3u}) CHECK(load.due(30ms) == user);
  load.answered(0, 5ms);   // in the warm-up
  load.answered(1, 10ms);  // asked in it or not: what counts is when the answer came
  load.answered(2, 39ms);
  load.answered(3, 40ms);  // too late
  CHECK(load.finish(50ms).arrived == 2);
}

TEST_CASE("percentiles are values that occurred") {
  std::vector<Time> sorted;
  for (int i = 1; i <= 100; ++i) sorted.emplace_back(i);
  CHECK(percentile(sorted, 0.5) == Time(51));
  CHECK(percentile(sorted, 0.99) == Time(100));
  CHECK(percentile(sorted, 1) == Time(100));
  CHECK(percentile({}, 0.5) == Time(0));
}

TEST_CASE("an answer ends where its Content-Length says") {
  const std::string text = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1";
  for (std::size_t size = 0; size < text.size() - 8; ++size) {
    CHECK(read_answer(std::string_view(text).substr(0, size)).state == Answer::partial);
  }
  const Answer answer = read_answer(text);
  CHECK(answer.state == Answer::whole);
  CHECK(answer.status == 200);
  CHECK(answer.body == "abc");
  CHECK(answer.size == text.size() - 8);
  CHECK(read_answer("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n").status == 503);
  for (const char* bad :
       {"HTTP/2 200\r\nContent-Length: 0\r\n\r\n", "\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"}) {
    CHECK(read_answer(bad).state == Answer::malformed);
  }
}

}  // namespace
}  // namespace stagecraft::bench
