// Bodies that nobody wants: whoever sends one still learns why.
#include <string>

#include "catch.h"
#include "robustness/support.h"
#include "support/process_view.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::robustness {

using namespace testing;

namespace {

struct Refusal {
  const char* target;
  int status;
};

std::string chunked(std::string_view target, std::string_view body) {
  return request("POST", target, "Transfer-Encoding: chunked\r\n") + "A00000\r\n" +
         std::string(body) + "\r\n0\r\n\r\n";
}

}  // namespace

TEST_CASE("A refusal of 10 MB is read by a client who sends them all", "[uploads]") {
  const TestServer server;
  const std::string body = noise(10 * mebibyte);
  for (const Refusal& refusal :
       {Refusal{"/plaintext", 405}, Refusal{"/nothing", 404}, Refusal{"/echo", 413}}) {
    for (const std::string& bytes : {post(refusal.target, body), chunked(refusal.target, body)}) {
      INFO(refusal.target);
      Client client(server.endpoint());
      client.send(bytes);
      CHECK(client.read_response("POST").status == refusal.status);
    }
  }
  check_serves(server);
}

TEST_CASE("A refusal is read by a client who stops when it comes", "[uploads]") {
  const TestServer server;
  for (const Refusal& refusal :
       {Refusal{"/plaintext", 405}, Refusal{"/nothing", 404}, Refusal{"/echo", 413}}) {
    INFO(refusal.target);
    Client client(server.endpoint());
    client.send(request("POST", refusal.target, "Content-Length: 10485760\r\n"));
    const std::string piece = noise(4096);
    while (!client.readable()) {
      client.send(piece);
      client.wait_until_received();  // as if the network were no faster than the server
    }
    const HttpResponse answer = client.read_response("POST");
    CHECK(answer.status == refusal.status);
    CHECK(answer.lists("Connection", "close"));
    client.finish_sending();
    // What was sent meanwhile was read: an end, and no reset that could have lost the answer.
    CHECK(client.read_to_end().empty());
    CHECK(client.ending() == Ending::end_of_stream);
  }
}

TEST_CASE("A small body that nobody wants costs no connection", "[uploads]") {
  const TestServer server;
  Client client(server.endpoint());
  client.send(post("/nothing", noise(10'000)) + get("/health"));
  CHECK(client.read_response("POST").status == 404);
  CHECK(client.read_response().body == "ok\n");
}

TEST_CASE("A connection that lingers neither spins nor stays", "[uploads]") {
  const TestServer server({"--linger-timeout", "300ms"});
  Client client(server.endpoint());
  client.send(request("POST", "/nothing", "Content-Length: 10485760\r\n") + noise(1'000));
  CHECK(client.read_response("POST").status == 404);
  CHECK(client.read_to_end().empty());
  // Ours is still open, and what we have sent is read; the server waits for the rest.
  wait_until_at_rest(server.process());
  client.send("more");
  wait_until_at_rest(server.process());
  server.trace().wait_for("close");
  check_serves(server);
}

}  // namespace stagecraft::robustness
