#include "base/log.h"

#include <barrier>
#include <chrono>
#include <limits>
#include <thread>

#include "catch.h"
#include "unit_fixtures.h"

using namespace stagecraft;
using Catch::Matches;

namespace {

const AccessRecord record{.remote_address = "127.0.0.1:54321",
                          .request_line = "GET / HTTP/1.1",
                          .status = 200,
                          .body_bytes = 12};

}  // namespace

TEST_CASE("off: errors only") {
  const Pipe pipe;
  Logger logger(LogLevel::off, pipe.write_end());
  logger.log({"accept", {{"id", 1U}}});
  logger.access(record);
  CHECK(pipe.text() == "");
  CHECK_FALSE(logger.wants_events());
  CHECK_FALSE(logger.wants_accesses());
  logger.error("no more descriptors");
  CHECK(pipe.text() == "error: no more descriptors\n");
}

TEST_CASE("off: nothing is allocated") {
  const Pipe pipe;
  Logger logger(LogLevel::off, pipe.write_end());
  const std::size_t before = allocations();
  for (std::uint64_t id = 0; id < 1000; ++id) {
    logger.log({"accept", {{"remote_address", "[2001:db8::1234]:54321"}, {"id", id}}});
    logger.access(record);
  }
  CHECK(allocations() == before);
}

TEST_CASE("after the first lines nothing is allocated for the next") {
  const Pipe pipe;
  Logger logger(LogLevel::debug, pipe.write_end());
  const auto log_some = [&](int count) {
    for (int i = 0; i < count; ++i) {
      logger.log({"accept", {{"remote_address", "127.0.0.1:54321"}, {"id", 7U}}});
      logger.access(record);
    }
  };
  log_some(2);
  const std::size_t before = allocations();
  log_some(100);
  CHECK(allocations() == before);
}

TEST_CASE("access: Common Log Format") {
  const Pipe pipe;
  Logger logger(LogLevel::access, pipe.write_end());
  CHECK(logger.wants_accesses());
  logger.log({"accept", {{"id", 1U}}});
  logger.access(record);
  CHECK_THAT(pipe.text(), Matches(R"(127\.0\.0\.1 - - \[\d\d/[A-Z][a-z][a-z]/\d{4}:\d\d:\d\d:\d\d )"
                                  R"(\+0000\] "GET / HTTP/1\.1" 200 12\n)"));
}

TEST_CASE("access: the time is now, in UTC") {
  const Pipe pipe;
  Logger logger(LogLevel::access, pipe.write_end());
  // Not std::time(), whose clock may be some milliseconds behind this one.
  const auto now = [] {
    return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  };
  const std::time_t before = now();
  logger.access(record);
  const std::time_t after = now();
  const std::string line = pipe.text();
  bool found = false;
  for (std::time_t second = before; second <= after; ++second) {
    std::tm parts{};
    gmtime_r(&second, &parts);
    std::array<char, 64> text{};
    strftime(text.data(), text.size(), "[%d/%b/%Y:%H:%M:%S +0000]", &parts);
    found = found || line.find(text.data()) != std::string::npos;
  }
  INFO(line);
  CHECK(found);
}

TEST_CASE("access: the host without its port, of either family") {
  const Pipe pipe;
  Logger logger(LogLevel::access, pipe.write_end());
  AccessRecord other = record;
  for (const auto& [address, host] :
       {std::pair("[2001:db8::1]:80", "2001:db8::1 - - ["),
        std::pair("192.0.2.7", "192.0.2.7 - - ["), std::pair("", "- - - [")}) {
    other.remote_address = address;
    logger.access(other);
    CHECK_THAT(pipe.text(), Catch::StartsWith(host));
  }
}

TEST_CASE("access: a request line cannot forge a line") {
  const Pipe pipe;
  Logger logger(LogLevel::access, pipe.write_end());
  AccessRecord forged = record;
  forged.request_line = "GET /\" 200 1\n10.0.0.1 - - \xff\x1b[2J";
  logger.access(forged);
  const std::string text = pipe.text();
  CHECK(lines_of(text).size() == 1);
  CHECK_THAT(text, Catch::Contains(R"("GET /\" 200 1\x0a10.0.0.1 - - \xff\x1b[2J" 200 12)"));
}

TEST_CASE("debug: key=value, numbers bare and texts quoted") {
  const Pipe pipe;
  Logger logger(LogLevel::debug, pipe.write_end());
  CHECK(logger.wants_events());
  logger.log({"accept", {{"remote_address", "127.0.0.1:54321"}, {"id", 1U}}});
  CHECK_THAT(pipe.text(), Matches(R"(time=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z thread=\d+ )"
                                  R"(event=accept remote_address="127\.0\.0\.1:54321" id=1\n)"));
  logger.log({"event_loop_terminate"});
  CHECK_THAT(pipe.text(), Matches(R"(time=\S+ thread=\d+ event=event_loop_terminate\n)"));
}

TEST_CASE("debug: values are escaped, and all integers fit") {
  const Pipe pipe;
  Logger logger(LogLevel::debug, pipe.write_end());
  logger.log({"odd",
              {{"text", "a \"b\"\n\xc3"},
               {"small", std::int16_t{-3}},
               {"least", std::numeric_limits<std::int64_t>::min()},
               {"most", std::numeric_limits<std::uint64_t>::max()}}});
  CHECK_THAT(
      pipe.text(),
      Catch::Contains(R"(event=odd text="a \"b\"\x0a\xc3" small=-3 least=-9223372036854775808)"
                      " most=18446744073709551615\n"));
}

TEST_CASE("an error is one line whatever it contains") {
  const Pipe pipe;
  Logger logger(LogLevel::off, pipe.write_end());
  logger.error("open \"a\nb\"");
  CHECK(pipe.text() == "error: open \\\"a\\x0ab\\\"\n");
}

TEST_CASE("lines of several threads never mix") {
  const Pipe pipe;
  Logger logger(LogLevel::access, pipe.write_end());
  constexpr int per_thread = 300;  // all of it fits into the pipe
  std::barrier both_ready(2);
  const auto log_many = [&](const std::string& address) {
    AccessRecord mine = record;
    mine.remote_address = address;
    both_ready.arrive_and_wait();
    for (int i = 0; i < per_thread; ++i) logger.access(mine);
  };
  std::thread first(log_many, "10.0.0.1:1");
  std::thread second(log_many, "10.0.0.2:1");
  first.join();
  second.join();
  const std::vector<std::string> lines = lines_of(pipe.text());
  CHECK(lines.size() == 2 * per_thread);
  for (const std::string& line : lines) {
    CHECK_THAT(line, Matches(R"(10\.0\.0\.[12] - - \[[^\]]+\] "GET / HTTP/1\.1" 200 12)"));
  }
}
