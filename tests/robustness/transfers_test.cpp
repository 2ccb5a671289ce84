// Large answers, and clients who take their time with them.
#include <csignal>
#include <filesystem>
#include <string>

#include "catch.h"
#include "robustness/support.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::robustness {

using namespace testing;

TEST_CASE("A large file over a full socket buffer is sent whole", "[transfers]") {
  const TestServer server;
  const std::string content = noise(8 * mebibyte + 12'345);
  server.folder().write("files/large", content);
  Client client(server.endpoint(), small_buffer);
  client.send(get("/files/large") + get("/health") + get("/files/large") + get("/health"));
  for (int i = 0; i < 2; ++i) {
    client.wait_until_readable();
    wait_until_at_rest(server.process());
    CHECK((client.read_response().body == content));  // not shown if not: it is long
    CHECK(client.read_response().body == "ok\n");
  }
}

TEST_CASE("A large body over a full socket buffer is sent whole", "[transfers]") {
  const TestServer server(echo({"--max-request-size", "16MiB"}));
  const std::string body = noise(8 * mebibyte);
  Client client(server.endpoint(), small_buffer);
  for (int i = 0; i < 2; ++i) {
    client.send(post("/", body));
    client.wait_until_readable();
    wait_until_at_rest(server.process());
    CHECK((client.read_response("POST").body == body));
    CHECK(ask(client, "/path/between").body == "/path/between\n\n");
  }
}

TEST_CASE("A reader who never reads is cut off", "[transfers]") {
  const TestServer server(echo({"--send-timeout", "200ms"}));
  Client client(server.endpoint(), small_buffer);
  client.send(get("/large?n=" + std::to_string(32 * mebibyte)));
  server.trace().wait_for("close");
  CHECK(client.read_to_end().size() < 32 * mebibyte);
  // So that nobody takes the part for the whole.
  CHECK(client.ending() == Ending::reset);
  check_serves(server);
}

TEST_CASE("A file that shrinks while it is sent", "[transfers]") {
  const TestServer server;
  const std::string file = server.folder().write("files/large", noise(16 * mebibyte));
  Client client(server.endpoint(), small_buffer);
  client.send(get("/files/large"));
  client.wait_until_readable();
  wait_until_at_rest(server.process());
  std::filesystem::resize_file(file, mebibyte);
  CHECK(client.read_to_end().size() < 16 * mebibyte);
  CHECK(client.ending() == Ending::reset);
  wait_until_at_rest(server.process());
  check_serves(server);
}

TEST_CASE("A file that shrinks while several parts of it are sent", "[transfers]") {
  const TestServer server;
  const std::string file = server.folder().write("files/large", noise(16 * mebibyte));
  Client client(server.endpoint(), small_buffer);
  client.send(get("/files/large", "Range: bytes=0-8388607,9000000-\r\n"));
  client.wait_until_readable();
  wait_until_at_rest(server.process());
  std::filesystem::resize_file(file, mebibyte);
  CHECK(client.read_to_end().size() < 15 * mebibyte);
  CHECK(client.ending() == Ending::reset);
  wait_until_at_rest(server.process());
  check_serves(server);
}

TEST_CASE("A part of a file that grows is sent, and no more than that", "[transfers]") {
  const TestServer server;
  const std::string content = noise(8 * mebibyte);
  const std::string file = server.folder().write("files/large", content);
  Client client(server.endpoint(), small_buffer);
  client.send(get("/files/large", "Range: bytes=1000-\r\n") + get("/health"));
  client.wait_until_readable();
  wait_until_at_rest(server.process());
  std::filesystem::resize_file(file, 9 * mebibyte);
  CHECK((client.read_response().body == content.substr(1000)));  // not shown if not: it is long
  CHECK(client.read_response().body == "ok\n");
}

TEST_CASE("A file that grows while it is sent", "[transfers]") {
  const TestServer server;
  const std::string content = noise(8 * mebibyte + 12'345);  // no multiple of any piece
  const std::string file = server.folder().write("files/large", content);
  Client client(server.endpoint(), small_buffer);
  client.send(get("/files/large") + get("/health"));
  client.wait_until_readable();
  wait_until_at_rest(server.process());
  std::filesystem::resize_file(file, 9 * mebibyte);
  CHECK((client.read_response().body == content));  // not shown if not: it is long
  CHECK(client.read_response().body == "ok\n");
}

TEST_CASE("A stream that is cut off does not look whole to an HTTP/1.0 client", "[transfers]") {
  TestServer server({"--grace", "100ms"});
  Client client(server.endpoint(), small_buffer);
  client.send("GET /chunks?n=1000000 HTTP/1.0\r\n\r\n");
  client.wait_until_readable();
  wait_until_at_rest(server.process());
  kill(server.process(), SIGTERM);
  CHECK(server.control().wait_for_end() == "exit status 0");
  client.read_to_end();
  CHECK(client.ending() == Ending::reset);
}

}  // namespace stagecraft::robustness
