// What an event loop tells of itself: the events that microhttp has, by name and with all their
// fields, and the counts of each loop. Only of stages with event loops.
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "capability/capabilities.h"
#include "catch.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/system_calls.h"
#include "support/test_server.h"

namespace stagecraft::capability {

using namespace testing;

namespace {

// Event by event, the fields that one must have.
const std::map<std::string, std::set<std::string>>& events_of_microhttp() {
  static const std::map<std::string, std::set<std::string>> all{
      {"accept", {"remote_address", "id"}},
      {"register_error", {}},
      {"read_bytes", {"id", "read_bytes", "request_bytes"}},
      {"read_request", {"id", "request_bytes"}},
      {"read_close", {"id"}},
      {"read_error", {"id"}},
      {"exceed_request_max_close", {"id", "request_size"}},
      {"request_timeout", {"id"}},
      {"response_ready", {"id", "num_bytes"}},
      {"write", {"id", "num_bytes"}},
      {"write_response", {"id", "num_bytes"}},
      {"write_error", {"id"}},
      {"pipeline_request", {"id", "request_bytes"}},
      {"close_after_response", {"id"}},
      {"event_loop_terminate", {}},
      {"sub_event_loop_terminate", {}},
  };
  return all;
}

// The fields of a line `time=... thread=1 event=accept id=1`, by the event's name.
std::map<std::string, std::set<std::string>> fields_by_event(const std::string& log) {
  std::map<std::string, std::set<std::string>> found;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    std::set<std::string> names;
    std::string event;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      name == "event" ? event = word.substr(equals + 1) : *names.insert(name).first;
    }
    if (!event.empty()) found[event].merge(names);
  }
  return found;
}

// Does everything that can befall a server's clients. Without an epoll there is nothing that a new
// client could fail to be registered with.
void live_through(const TestServer& server) {
  {
    Client client(server.endpoint());
    client.send(get("/plaintext") + get("/plaintext", "Connection: close\r\n"));
    client.read_to_end();
  }
  {
    Client uploading(server.endpoint());
    uploading.send(request("POST", "/echo", "Content-Length: 1000000000\r\n"));
    uploading.read_to_end();
  }
  {
    Client half(server.endpoint());
    half.send("GET / HT");
    half.read_to_end();
  }
  {
    Client going(server.endpoint());
    ask(going, "/plaintext");
    going.reset();
    server.trace().wait_for("read_error");
  }
  {
    constexpr int small_buffer = 4096;
    Client reader(server.endpoint(), small_buffer);
    reader.send(get("/files/large"));
    wait_until_at_rest(server.process());
    reader.reset();
    server.trace().wait_for("write_error");
  }
  {
    Client ending(server.endpoint());
    ask(ending, "/plaintext");
    ending.finish_sending();
    server.trace().wait_for("read_close");
  }
}

}  // namespace

TEST_CASE("An event loop tells what microhttp's tells, by name and field", "[log]") {
  if (stage_under_test() < "04") return;
  std::vector<std::string> options{"--log", "debug", "--head-timeout", "100ms"};
  if (program_has("--concurrency")) options.insert(options.end(), {"--concurrency", "2"});
  TestServer server(options);
  constexpr std::size_t large = std::size_t{16} << 20U;
  server.folder().write("files/large", std::string(large, 'x'));
  live_through(server);
  server.control().stop();
  auto found = fields_by_event(server.control().errors());
  for (const auto& [event, fields] : events_of_microhttp()) {
    if (event == "register_error") continue;  // the next test
    if (event == "sub_event_loop_terminate" && !program_has("--concurrency")) continue;
    INFO(event);
    CHECK(found.count(event) == 1);
    for (const std::string& field : fields) {
      INFO(field);
      CHECK(found[event].count(field) == 1);
    }
  }
}

TEST_CASE("A client for whom the kernel has no memory is told of, and costs nobody else",
          "[system-calls]") {
  const ScratchFolder folder;
  std::vector<std::string> strace = strace_to(folder.path("calls"), "epoll_ctl");
  // Of each thread's calls the ninth: the ones before are those that start the server.
  strace.insert(strace.end(), {"-e", "inject=epoll_ctl:error=ENOMEM:when=9"});
  std::vector<std::string> options;
  if (program_has("--concurrency")) options = {"--concurrency", "1"};
  TestServer server(options, strace);
  constexpr int enough = 20;
  for (int i = 0; i < enough && server.trace().events("register_error").empty(); ++i) {
    Client client(server.endpoint());
    client.send(get("/plaintext", "Connection: close\r\n"));
    client.read_to_end();
  }
  CHECK(server.trace().events("register_error").size() == 1);
  CHECK(server.control().errors() == "error: epoll_ctl: Cannot allocate memory\n");
  Client client(server.endpoint());
  CHECK(ask(client, "/plaintext").status == 200);
}

TEST_CASE("Each loop tells at /metrics what it has done", "[log]") {
  if (!program_has("--concurrency")) return;
  const TestServer server({"--concurrency", "2"});
  Client first(server.endpoint());
  Client second(server.endpoint());
  constexpr int requests = 3;
  for (int i = 0; i < requests; ++i) {
    ask(first, "/plaintext?" + std::to_string(i));
    ask(second, "/plaintext");
  }
  const std::string text = ask(first, "/metrics").body;
  INFO(text);
  for (const std::string loop : {"{loop=\"0\"", "{loop=\"1\""}) {
    const auto has = [&text](const std::string& line) {
      return text.find("\n" + line + "\n") != std::string::npos;
    };
    CHECK(has("stagecraft_connections_total" + loop + "} 1"));
    CHECK(has("stagecraft_connections_open" + loop + "} 1"));
    CHECK(has("stagecraft_answers_total" + loop + ",route=\"/plaintext\",status=\"2xx\"} 3"));
    for (const std::string name : {"received_bytes", "sent_bytes", "loop_turns"}) {
      const std::string line = "\nstagecraft_" + name + "_total" + loop + "} ";
      REQUIRE(text.find(line) != std::string::npos);
      CHECK(text[text.find(line) + line.size()] != '0');
    }
  }
}

}  // namespace stagecraft::capability
