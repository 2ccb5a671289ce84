#include "serve.h"

#include <string>
#include <string_view>
#include <vector>

#include "exercise.h"
#include "scripted_socket.h"

namespace {

using namespace stagecraft::exercise;

const std::string request = "GET / HTTP/1.1\r\nHost: example\r\n\r\n";

// Has `client` served; a call that would wait for ever fails the test case.
void serve_client(ScriptedSocket& client) {
  try {
    serve(client.descriptor());
  } catch (const Stuck& stuck) {
    FAIL(stuck.waits_for);
  }
}

Script in_pieces(std::vector<std::string> pieces) {
  Script script;
  script.pieces = std::move(pieces);
  return script;
}

std::string pasted(std::string_view first, std::string_view second) {
  const auto quoted = [](std::string_view bytes) {
    std::string text;
    for (const char c : bytes) text += c == '\r' ? "\\r" : c == '\n' ? "\\n" : std::string(1, c);
    return "printf '" + text + "'";
  };
  return "(" + quoted(first) + "; sleep 1; " + quoted(second) + "; sleep 1) | nc 127.0.0.1 8080";
}

}  // namespace

TEST_CASE("takes_the_descriptor") {
  const Story story({.did = "a client connected and closed at once",
                     .likely = "serve() owns the descriptor: it closes it, exactly once"});
  ScriptedSocket client({.pieces = {}, .ends = Script::ClientEnds::after_its_pieces});
  serve_client(client);
  REQUIRE(client.closes() == 1);
}

TEST_CASE("answers_a_whole_request") {
  const Story story({.did = "sent a request, all of it in one piece",
                     .paste = "curl -i http://127.0.0.1:8080/",
                     .likely = "nothing is written, or not exactly `answer`"});
  ScriptedSocket client(in_pieces({request}));
  serve_client(client);
  REQUIRE_SAME(client.written(), answer);
  REQUIRE(client.closes() == 1);
}

TEST_CASE("answers_only_after_the_empty_line") {
  for (std::size_t cut = 1; cut < request.size(); ++cut) {
    const Story story({.did = "sent a request in two pieces, cut after byte " + std::to_string(cut),
                       .paste = pasted(request.substr(0, cut), request.substr(cut)),
                       .likely = "one read is taken for the whole request, or the empty line is "
                                 "looked for in each piece by itself"});
    ScriptedSocket client(in_pieces({request.substr(0, cut), request.substr(cut)}));
    serve_client(client);
    INFO("bytes read when the answer began: " << client.read_before_first_write() << " of "
                                              << request.size());
    REQUIRE(client.read_before_first_write() == request.size());
    REQUIRE_SAME(client.written(), answer);
  }
  const Story story(
      {.did = "sent a request byte by byte", .likely = "the empty line may come in four pieces"});
  std::vector<std::string> bytes;
  for (const char byte : request) bytes.emplace_back(1, byte);
  ScriptedSocket client(in_pieces(bytes));
  serve_client(client);
  REQUIRE_SAME(client.written(), answer);
}

TEST_CASE("short_write_is_continued") {
  for (std::size_t most = 1; most < answer.size(); most += 7) {
    const Story story({.did = "the kernel took at most " + std::to_string(most) + " bytes a write",
                       .likely = "what write() returns is not looked at, or the next one starts at "
                                 "the beginning again"});
    Script script = in_pieces({request});
    script.most_per_write = most;
    ScriptedSocket client(script);
    serve_client(client);
    REQUIRE_SAME(client.written(), answer);
  }
}

TEST_CASE("interrupted_calls_are_repeated") {
  const Story story({.did = "a signal interrupted every other call",
                     .likely = "-1 with errno EINTR is taken for an error"});
  Script script = in_pieces({request.substr(0, 10), request.substr(10)});
  script.interrupts = true;
  script.most_per_write = 20;
  ScriptedSocket client(script);
  serve_client(client);
  REQUIRE_SAME(client.written(), answer);
  REQUIRE(client.closes() == 1);
}

TEST_CASE("client_that_leaves_early_gets_nothing") {
  const Story story({.did = "sent half a request, and then the end",
                     .likely = "read() returning 0 means that the client sends no more"});
  ScriptedSocket client({.pieces = {request.substr(0, request.size() - 2)},
                         .ends = Script::ClientEnds::after_its_pieces});
  serve_client(client);
  REQUIRE_SAME(client.written(), "");
  REQUIRE(client.closes() == 1);
}

TEST_CASE("client_that_is_gone_is_given_up") {
  const Story story(
      {.did = "the client took 10 bytes of the answer and went away",
       .likely = "a failing write is repeated for ever, or the descriptor stays open"});
  Script script = in_pieces({request});
  script.most_per_write = 10;
  script.gone_after_bytes = 10;
  ScriptedSocket client(script);
  serve_client(client);
  REQUIRE_SAME(client.written(), answer.substr(0, 10));
  REQUIRE(client.closes() == 1);
}

TEST_CASE("client_reads_all_before_the_end") {
  const Story story({.did = "sent more behind the request, as a client with a body or a second "
                            "request does",
                     .paste = "curl -d 'some more' http://127.0.0.1:8080/",
                     .likely = "closing with bytes unread makes the kernel send a reset, and the "
                               "client may lose the answer: say that you send no more, then read "
                               "on to the client's end"});
  ScriptedSocket client(in_pieces({request + "some", " more", " and more"}));
  serve_client(client);
  REQUIRE_SAME(client.written(), answer);
  CHECK_FALSE(client.was_reset());
  REQUIRE(client.closes() == 1);
}
