#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <system_error>
#include <thread>

#include "base/log.h"
#include "catch.h"
#include "unit_fixtures.h"

using namespace stagecraft;

namespace {

std::int64_t now_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

std::int64_t time_of(const std::string& line) {
  REQUIRE(line.starts_with("{\"time_us\":"));
  return std::stoll(line.substr(11));
}

/// Opens a FIFO's reading end without waiting for a writer.
int open_reader(const std::string& fifo) { return ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK); }

std::string read_available(int fd) {
  std::string text(65536, '\0');
  const ssize_t n = ::read(fd, text.data(), text.size());
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

/// SIGPIPE is blocked in the servers' threads; here in the test's, for as long as this exists.
class BlockSigpipe {
 public:
  BlockSigpipe() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~BlockSigpipe() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    const timespec no_time{};
    sigtimedwait(&set, nullptr, &no_time);  // takes the one that waits
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BlockSigpipe(const BlockSigpipe&) = delete;
  BlockSigpipe& operator=(const BlockSigpipe&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

TEST_CASE("a trace has one line of JSON for each event, at once") {
  const Pipe pipe;
  const TemporaryFolder folder;
  const std::string path = folder.path("trace");
  Logger logger(LogLevel::off, pipe.write_end());
  logger.trace_to(path);
  CHECK(logger.wants_events());

  const std::int64_t before = now_us();
  logger.log({"accept", {{"remote_address", "127.0.0.1:54321"}, {"id", 1U}}});
  const std::int64_t after = now_us();
  const std::string line = read_file(path);
  CHECK_THAT(line, Catch::Matches(R"(\{"time_us":\d+,"thread":\d+,"event":"accept",)"
                                  R"("remote_address":"127\.0\.0\.1:54321","id":1\}\n)"));
  CHECK(time_of(line) >= before);
  CHECK(time_of(line) <= after);

  logger.log({"event_loop_terminate"});
  CHECK(lines_of(read_file(path)).size() == 2);
  CHECK(pipe.text() == "");
}

TEST_CASE("a trace is escaped, and is not the debug log") {
  const Pipe pipe;
  const TemporaryFolder folder;
  Logger logger(LogLevel::debug, pipe.write_end());
  logger.trace_to(folder.path("trace"));
  logger.log({"odd", {{"text", "a \"b\"\n\xff"}, {"number", -1}}});
  CHECK_THAT(
      read_file(folder.path("trace")),
      Catch::EndsWith("\"event\":\"odd\",\"text\":\"a \\\"b\\\"\\u000a\\ufffd\",\"number\":-1}\n"));
  CHECK_THAT(pipe.text(), Catch::EndsWith("event=odd text=\"a \\\"b\\\"\\x0a\\xff\" number=-1\n"));
}

TEST_CASE("a trace begins anew") {
  const TemporaryFolder folder;
  const std::string path = folder.file("trace", "of an earlier run\n");
  Logger logger;
  logger.trace_to(path);
  CHECK(read_file(path) == "");
}

TEST_CASE("lines of a trace stand in the order of their times, with the thread's number") {
  const TemporaryFolder folder;
  Logger logger;
  logger.trace_to(folder.path("trace"));
  const auto log_many = [&] {
    for (unsigned i = 0; i < 200; ++i) logger.log({"tick", {{"id", i}}});
  };
  std::thread first(log_many);
  std::thread second(log_many);
  first.join();
  second.join();
  const std::vector<std::string> lines = lines_of(read_file(folder.path("trace")));
  REQUIRE(lines.size() == 400);
  std::vector<std::string> threads;
  std::int64_t last = 0;
  for (const std::string& line : lines) {
    CHECK_THAT(line, Catch::Matches(R"(\{"time_us":\d+,"thread":\d+,"event":"tick","id":\d+\})"));
    CHECK(time_of(line) >= last);
    last = time_of(line);
    const std::size_t thread = line.find("\"thread\":");
    threads.push_back(line.substr(thread, line.find(',', thread) - thread));
  }
  std::sort(threads.begin(), threads.end());
  CHECK(threads[199] == threads[0]);
  CHECK(threads[200] != threads[0]);
  CHECK(threads[399] == threads[200]);
}

TEST_CASE("a trace to a FIFO, when its reader leaves, the server goes on") {
  const BlockSigpipe blocked;
  const Pipe pipe;
  const TemporaryFolder folder;
  const std::string fifo = folder.path("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const int reader = open_reader(fifo);
  REQUIRE(reader >= 0);

  Logger logger(LogLevel::off, pipe.write_end());
  logger.trace_to(fifo);
  logger.log({"accept", {{"id", 1U}}});
  CHECK_THAT(read_available(reader), Catch::EndsWith("\"event\":\"accept\",\"id\":1}\n"));

  ::close(reader);
  logger.log({"accept", {{"id", 2U}}});
  CHECK(pipe.text() == "error: the trace has ended: Broken pipe\n");
  CHECK_FALSE(logger.wants_events());
  logger.log({"accept", {{"id", 3U}}});
  CHECK(pipe.text() == "");
}

TEST_CASE("a trace to a FIFO waits for its reader") {
  const TemporaryFolder folder;
  const std::string fifo = folder.path("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  std::thread server([&] {
    Logger logger;
    logger.trace_to(fifo);
    logger.log({"started"});
  });
  const int reader = ::open(fifo.c_str(), O_RDONLY);  // waits for the writer in turn
  std::string text;
  for (std::string piece; !(piece = read_available(reader)).empty();) text += piece;
  ::close(reader);
  server.join();
  CHECK_THAT(text, Catch::EndsWith("\"event\":\"started\"}\n"));
}

TEST_CASE("a trace that cannot be opened is a start-up error that names it") {
  Logger logger;
  CHECK_THROWS_WITH(logger.trace_to("/nonexistent/trace"),
                    "open /nonexistent/trace: No such file or directory");
  CHECK_THROWS_AS(logger.trace_to("/"), std::system_error);
  CHECK_FALSE(logger.wants_events());
}

TEST_CASE("a trace that cannot be written ends, and says so once") {
  const Pipe pipe;
  Logger logger(LogLevel::off, pipe.write_end());
  logger.trace_to("/dev/full");
  logger.log({"one"});
  logger.log({"two"});
  CHECK(pipe.text() == "error: the trace has ended: No space left on device\n");
}
