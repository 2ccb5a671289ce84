#include "app/command_line.h"

#include <string>
#include <vector>

#include "catch.h"
#include "unit/base/unit_fixtures.h"

using namespace stagecraft;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

const StageFeatures everything{.name = "test-server",
                               .reuse_port = true,
                               .max_connections = true,
                               .stack_size = true,
                               .workers = true,
                               .executor = true,
                               .concurrency = true,
                               .resolution = true};

ParsedOptions parse(const std::vector<const char*>& arguments,
                    const StageFeatures& features = everything) {
  std::vector<const char*> argv{"./bin/test-server"};
  for (const char* argument : arguments) argv.push_back(argument);
  return parse_options(static_cast<int>(argv.size()), argv.data(), features);
}

ProgramOptions options(const std::vector<const char*>& arguments,
                       const StageFeatures& features = everything) {
  const ParsedOptions parsed = parse(arguments, features);
  INFO(parsed.text);
  REQUIRE(parsed.kind == ParsedOptions::serve);
  return parsed.options;
}

/// The complaint about a wrong command line, without the program's name before and the hint behind.
std::string complaint(const std::vector<const char*>& arguments,
                      const StageFeatures& features = everything) {
  const ParsedOptions parsed = parse(arguments, features);
  REQUIRE(parsed.kind == ParsedOptions::wrong);
  const std::string before = "test-server: ";
  REQUIRE_THAT(parsed.text,
               Catch::StartsWith(before) && Catch::EndsWith("--help lists the options)\n"));
  REQUIRE(lines_of(parsed.text).size() == 1);
  return parsed.text.substr(before.size(), parsed.text.rfind(" (") - before.size());
}

}  // namespace

TEST_CASE("no arguments: the defaults") {
  const ProgramOptions given = options({});
  CHECK(given.host == "127.0.0.1");
  CHECK(given.port == 8080);
  CHECK(given.app == App::demo);
  CHECK(given.log == LogLevel::off);
  CHECK(given.root.empty());
  CHECK(given.trace.empty());
  CHECK(given.gates.empty());
  CHECK(given.grace == 5s);
  CHECK(given.accept_length == 4096);
  CHECK(given.reuse_addr);
  CHECK_FALSE(given.reuse_port);
  CHECK(given.limits.idle_timeout == 60s);
  CHECK(given.limits.max_request_line == 8192);
}

TEST_CASE("every option sets its own member") {
  const TemporaryFolder folder;
  const std::string here = folder.path("");
  const ProgramOptions given = options({"--host",
                                        "::1",
                                        "--port",
                                        "0",
                                        "--app",
                                        "echo",
                                        "--root",
                                        here.c_str(),
                                        "--log",
                                        "debug",
                                        "--trace",
                                        "t.json",
                                        "--gates",
                                        here.c_str(),
                                        "--grace",
                                        "1ms",
                                        "--accept-length",
                                        "5",
                                        "--reuse-addr",
                                        "off",
                                        "--reuse-port",
                                        "on",
                                        "--idle-timeout",
                                        "2ms",
                                        "--head-timeout",
                                        "3ms",
                                        "--body-timeout",
                                        "4ms",
                                        "--answer-timeout",
                                        "5ms",
                                        "--send-timeout",
                                        "6ms",
                                        "--linger-timeout",
                                        "7ms",
                                        "--request-timeout",
                                        "8ms"});
  CHECK(given.host == "::1");
  CHECK(given.port == 0);
  CHECK(given.app == App::echo);
  CHECK(given.root == here);
  CHECK(given.log == LogLevel::debug);
  CHECK(given.trace == "t.json");
  CHECK(given.gates == here);
  CHECK(given.grace == 1ms);
  CHECK(given.accept_length == 5);
  CHECK_FALSE(given.reuse_addr);
  CHECK(given.reuse_port);
  CHECK(given.limits.idle_timeout == 2ms);
  CHECK(given.limits.head_timeout == 3ms);
  CHECK(given.limits.body_timeout == 4ms);
  CHECK(given.limits.answer_timeout == 5ms);
  CHECK(given.limits.send_timeout == 6ms);
  CHECK(given.limits.linger_timeout == 7ms);
  CHECK(given.limits.request_timeout == 8ms);
}

TEST_CASE("proxies are addresses and networks") {
  const ProgramOptions given =
      options({"--trust-proxy", "127.0.0.1,10.0.0.0/8,::1", "--forwarded-field", "forwarded"});
  REQUIRE(given.proxies.networks.size() == 3);
  CHECK(given.proxies.networks[1].contains("10.1.2.3"));
  CHECK(given.proxies.field == ForwardedField::forwarded);
  for (const char* wrong : {"localhost", "10.0.0.0/33", "10.0.0.0/8;::1", "10.0.0.0/8, ::1"}) {
    CAPTURE(wrong);
    CHECK(parse({"--trust-proxy", wrong}).kind == ParsedOptions::wrong);
  }
}

TEST_CASE("every option of threads and connections sets its own member") {
  const ProgramOptions given = options(
      {"--max-connections", "1", "--stack-size", "65537", "--workers", "3", "--workers-max", "4",
       "--queue", "5", "--executor", "thread", "--concurrency", "6", "--resolution", "7ms"});
  CHECK(given.max_connections == 1);
  CHECK(given.stack_size == 65537);
  CHECK(given.workers == 3);
  CHECK(given.workers_max == 4);
  CHECK(given.queue == 5);
  CHECK(given.executor == Executor::thread);
  CHECK(given.concurrency == 6);
  CHECK(given.resolution == 7ms);
  CHECK(options({"--executor", "inline"}).executor == Executor::inline_);
  CHECK(options({"--executor", "pool"}).executor == Executor::pool);
}

TEST_CASE("every limit sets its own member") {
  const Limits given = options({"--read-buffer-size", "1025", "--max-request-line",   "1026",
                                "--max-head-size",    "1027", "--max-fields",         "28",
                                "--max-request-size", "1029", "--max-chunk-overhead", "1030",
                                "--max-trailer-size", "1031", "--max-output",         "1032",
                                "--max-buffered",     "1033", "--max-drain",          "1034",
                                "--max-linger=1035"})
                           .limits;
  CHECK(given.read_buffer_size == 1025);
  CHECK(given.max_request_line == 1026);
  CHECK(given.max_head_size == 1027);
  CHECK(given.max_fields == 28);
  CHECK(given.max_request_size == 1029);
  CHECK(given.max_chunk_overhead == 1030);
  CHECK(given.max_trailer_size == 1031);
  CHECK(given.max_output == 1032);
  CHECK(given.max_buffered == 1033);
  CHECK(given.max_drain == 1034);
  CHECK(given.max_linger == 1035);
}

TEST_CASE("a bare number is the port, the last word counts") {
  CHECK(options({"8081"}).port == 8081);
  CHECK(options({"--app", "echo", "8082"}).port == 8082);
  CHECK(options({"8081", "--port", "8082"}).port == 8082);
  CHECK(
      options({"--max-request-size", "1", "--max-request-size", "2GiB"}).limits.max_request_size ==
      2147483648U);
}

TEST_CASE("a value is refused with what would be right") {
  CHECK(complaint({"--port", "65536"}) == "--port: '65536' must be a whole number from 0 to 65535");
  CHECK(complaint({"--port", "-1"}) == "--port: '-1' must be a whole number from 0 to 65535");
  CHECK(complaint({"--port=8o"}) == "--port: '8o' must be a whole number from 0 to 65535");
  CHECK(complaint({"eighty"}) == "--port: 'eighty' must be a whole number from 0 to 65535");
  CHECK(complaint({"--accept-length", "0"}) ==
        "--accept-length: '0' must be a whole number from 1 to 65535");
  CHECK(complaint({"--app", "Demo"}) == "--app: 'Demo' must be one of demo|echo|files|guestbook");
  CHECK(complaint({"--log", "all"}) == "--log: 'all' must be one of off|access|verbose|debug");
  CHECK(complaint({"--reuse-addr", "yes"}) == "--reuse-addr: 'yes' must be one of on|off");
  CHECK(complaint({"--root", "/nonexistent"}) == "--root: '/nonexistent' is not a folder");
  CHECK(complaint({"--app", "files"}) == "--app: 'files' needs a --root");
  CHECK(complaint({"--gates", "/dev/null"}) == "--gates: '/dev/null' is not a folder");
  CHECK(complaint({"--port", "1\n2"}) == "--port: '1 2' must be a whole number from 0 to 65535");
}

TEST_CASE("ranges") {
  CHECK(complaint({"--read-buffer-size", "1023"}) ==
        "--read-buffer-size: '1023' must be at least 1KiB");
  CHECK(options({"--read-buffer-size", "1KiB"}).limits.read_buffer_size == 1024);
  CHECK(complaint({"--max-head-size", "64KiB"}) ==
        "--max-head-size: '64KiB' must be at most 65535B");
  CHECK(options({"--max-head-size", "65535"}).limits.max_head_size == 65535);
  CHECK_THAT(complaint({"--max-drain", "-5"}), Contains("--max-drain: '-5' must be a size"));
  CHECK(complaint({"--max-drain", "99999999999GiB"}) ==
        "--max-drain: '99999999999GiB' is too large");
  CHECK_THAT(complaint({"--grace", "-5s"}), Contains("--grace: '-5s' must be a duration"));
  CHECK_THAT(complaint({"--idle-timeout", "5"}), Contains("must be a duration in ms, s, min or h"));
  CHECK(complaint({"--idle-timeout", "0"}) == "--idle-timeout: '0' must be at least 1ms");
  CHECK(complaint({"--send-timeout", "25h"}) == "--send-timeout: '25h' must be at most 24h");
  CHECK(complaint({"--max-fields", "0"}) ==
        "--max-fields: '0' must be a whole number from 1 to 128");
  CHECK(options({"--answer-timeout", "0", "--request-timeout", "0"}).limits.request_timeout == 0s);
}

TEST_CASE("an unknown option is named, also when a value follows it") {
  CHECK_THAT(complaint({"--idle_timeout", "1s"}), Contains("--idle_timeout"));
  CHECK_THAT(complaint({"--worker", "8"}), Contains("--worker"));
  CHECK_THAT(complaint({"-p", "80"}), Contains("-p"));
  CHECK(complaint({"--port"}) == "--port: a value is missing");
  CHECK(complaint({"--port="}) == "--port: a value is missing");
  CHECK_THAT(complaint({"80", "81"}), Contains("81"));
}

TEST_CASE("who mistypes an option is told which one it may be") {
  const auto says = [](const std::vector<const char*>& arguments) { return parse(arguments).text; };
  CHECK_THAT(says({"--wokers", "3"}), Contains("--wokers (did you mean --workers? --help lists"));
  CHECK_THAT(says({"--idle_timeout=1s"}), Contains("did you mean --idle-timeout?"));
  CHECK_THAT(says({"--hots", "::1"}), Contains("did you mean --host?"));
  CHECK_THAT(says({"--frobnicate"}), !Contains("did you mean"));
  CHECK_THAT(says({"--port", "x"}), !Contains("did you mean"));
}

TEST_CASE("an option that the stage does not have is unknown") {
  const StageFeatures little{
      .name = "test-server", .accept_length = false, .reuse_addr = false, .reuse_port = false};
  for (const char* option :
       {"--accept-length=1", "--reuse-addr=on", "--reuse-port=on", "--max-connections=1",
        "--stack-size=64KiB", "--workers=1", "--workers-max=1", "--queue=1", "--executor=pool",
        "--concurrency=1", "--resolution=1ms"}) {
    INFO(option);
    const std::string name = std::string(option).substr(0, std::string_view(option).find('='));
    CHECK(parse({option}).kind == ParsedOptions::serve);
    CHECK_THAT(complaint({option}, little), Contains("was not expected"));
    CHECK_THAT(parse({"--help"}).text, Contains("  " + name + " "));
    CHECK_THAT(parse({"--help"}, little).text, !Contains(name + " "));
  }
}

TEST_CASE("a stage has its own idle timeout, and says why") {
  const StageFeatures blocking{.name = "test-server",
                               .idle_timeout = 1s,
                               .idle_timeout_reason = "A silent client blocks all"};
  CHECK(options({}, blocking).limits.idle_timeout == 1s);
  CHECK(options({"--idle-timeout", "9s"}, blocking).limits.idle_timeout == 9s);
  CHECK_THAT(parse({"--help"}, blocking).text,
             Contains("--idle-timeout DURATION=1s") && Contains("A silent client blocks all"));
}

TEST_CASE("a configuration file has the same names, and the command line wins") {
  const TemporaryFolder folder;
  const std::string path = folder.file("server.conf",
                                       "# how we run it\n"
                                       "port = 9000\n"
                                       "host = \"localhost\"\n"
                                       "idle-timeout=250ms\n"
                                       "max-request-size = \"2MiB\"\n"
                                       "reuse-addr = off\n");
  const ProgramOptions given = options({"--config", path.c_str()});
  CHECK(given.port == 9000);
  CHECK(given.host == "localhost");
  CHECK(given.limits.idle_timeout == 250ms);
  CHECK(given.limits.max_request_size == 2 * MiB);
  CHECK_FALSE(given.reuse_addr);
  CHECK(options({"--config", path.c_str(), "--port", "1"}).port == 1);
  CHECK(options({"2", "--config", path.c_str()}).port == 2);
}

TEST_CASE("a wrong configuration file is refused in one line") {
  const TemporaryFolder folder;
  const auto with = [&](const char* content) {
    const std::string path = folder.file("server.conf", content);
    return complaint({"--config", path.c_str()});
  };
  CHECK(with("prot = 80\n") == "--config: there is no option prot");
  CHECK(with("port = eighty\n") == "--port: 'eighty' must be a whole number from 0 to 65535");
  CHECK_THAT(with("[section]\nport = 80\n"), Contains("section"));
  CHECK_THAT(with("nonsense\n"), Contains("nonsense"));
  CHECK_THAT(complaint({"--config", "/nonexistent"}), Contains("--config: /nonexistent was not"));
  CHECK(complaint({"--config"}) == "--config: a value is missing");
}

TEST_CASE("help explains every option with its default and unit") {
  const ParsedOptions parsed = parse({"--help"});
  REQUIRE(parsed.kind == ParsedOptions::show);
  for (const char* text : {"--host ADDRESS=127.0.0.1",
                           "--port NUMBER=8080",
                           "--app demo|echo|files|guestbook=demo",
                           "--listing on|off=off",
                           "--trust-proxy NETWORKS",
                           "--forwarded-field x-forwarded-for|forwarded=x-forwarded-for",
                           "--root FOLDER",
                           "--log off|access|verbose|debug=off",
                           "--trace FILE",
                           "--gates FOLDER",
                           "--config FILE",
                           "--grace DURATION=5s",
                           "--idle-timeout DURATION=1min",
                           "--head-timeout DURATION=10s",
                           "--body-timeout DURATION=30s",
                           "--answer-timeout DURATION=0",
                           "--send-timeout DURATION=30s",
                           "--linger-timeout DURATION=2s",
                           "--request-timeout DURATION=1min",
                           "--max-request-line SIZE=8KiB",
                           "--max-head-size SIZE=32KiB",
                           "--max-fields NUMBER=100",
                           "--max-request-size SIZE=1MiB",
                           "--max-chunk-overhead SIZE=16KiB",
                           "--max-trailer-size SIZE=8KiB",
                           "--max-output SIZE=64KiB",
                           "--max-buffered SIZE=256MiB",
                           "--max-drain SIZE=64KiB",
                           "--max-linger SIZE=16MiB",
                           "--read-buffer-size SIZE=64KiB",
                           "--accept-length NUMBER=4096",
                           "--reuse-addr on|off=on",
                           "--reuse-port on|off=off",
                           "DURATION has a unit",
                           "SIZE is a number of bytes",
                           "A bare number means it"}) {
    CHECK_THAT(parsed.text, Contains(text));
  }
  for (const std::string& line : lines_of(parsed.text)) {
    INFO(line);
    CHECK(line.size() <= 100);
  }
  CHECK(parsed.text.ends_with('\n'));
}

TEST_CASE("the version") {
  const ParsedOptions parsed = parse({"--version"});
  CHECK(parsed.kind == ParsedOptions::show);
  CHECK_THAT(parsed.text, Catch::Matches(R"(stagecraft [0-9.]+ test-server\n)"));
}
