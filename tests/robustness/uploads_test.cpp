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
    // More than one receive takes, so that some is unread when the answer is given; and some comes
    // behind it, as from a client who is far away.
    client.send(request("POST", refusal.target, "Content-Length: 10485760\r\n") + noise(150'000));
    const HttpResponse answer = client.read_response("POST");
    CHECK(answer.status == refusal.status);
    CHECK(answer.lists("Connection", "close"));
    client.send(noise(10'000));
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

TEST_CASE("What forms hold in memory is bounded for the whole server", "[uploads]") {
  const TestServer server({"--max-buffered", "100KiB"});
  const auto form = [](int files, std::size_t size) {
    std::string body;
    for (int i = 0; i < files; ++i) {
      body += "--b\r\nContent-Disposition: form-data; name=f; filename=a\r\n\r\n" +
              std::string(size, 'x') + "\r\n";
    }
    body += "--b--\r\n";
    return request("POST", "/upload",
                   "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: " +
                       std::to_string(body.size()) + "\r\n") +
           body;
  };
  Client client(server.endpoint());
  for (int i = 0; i < 5; ++i) {  // what one had is free for the next
    client.send(form(2, 40'000));
    CHECK(client.read_response("POST").status == 200);
  }
  client.send(form(1, 400'000));  // which goes to a temporary file
  CHECK(client.read_response("POST").status == 200);
  client.send(form(3, 40'000));
  CHECK(client.read_response("POST").status == 503);
  client.read_to_end();
  Client next(server.endpoint());
  next.send(form(2, 40'000));
  CHECK(next.read_response("POST").status == 200);
}

TEST_CASE("A connection that lingers neither spins nor stays", "[uploads]") {
  const TestServer server({"--linger-timeout", "800ms"});
  Client client(server.endpoint());
  client.send(request("POST", "/nothing", "Content-Length: 10485760\r\n") + noise(1'000));
  CHECK(client.read_response("POST").status == 404);
  CHECK(client.read_to_end().empty());
  // Ours is still open, and what we have sent is read; the server waits for the rest.
  wait_until_at_rest(server.process());
  client.send("more");
  client.wait_until_received();
  wait_until_at_rest(server.process());
  CHECK(server.trace().events("close").empty());  // so it did not spin until that
  server.trace().wait_for("close");
  check_serves(server);
}

}  // namespace stagecraft::robustness
