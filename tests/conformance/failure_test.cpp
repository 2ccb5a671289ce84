// What a reader is told when a server is wrong, word by word: rigged servers, each wrong in one
// way.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "catch.h"
#include "conformance/failure.h"
#include "conformance/probe.h"
#include "conformance/readiness.h"

namespace stagecraft::conformance {
namespace {

// Takes one connection, reads until it is asked for the close, sends `answer` and closes.
class RiggedServer {
 public:
  explicit RiggedServer(std::string answer) : answer_(std::move(answer)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(::bind(listener_, any, size) == 0);
    REQUIRE(::listen(listener_, 1) == 0);
    REQUIRE(::getsockname(listener_, any, &size) == 0);
    endpoint_ = {"127.0.0.1", ntohs(address.sin_port)};
    thread_ = std::thread([this] { serve(); });
  }
  ~RiggedServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  RiggedServer(const RiggedServer&) = delete;
  RiggedServer& operator=(const RiggedServer&) = delete;

  const testing::Endpoint& endpoint() const { return endpoint_; }

 private:
  void serve() {
    const int connection = ::accept(listener_, nullptr, nullptr);
    if (connection < 0) return;
    std::string received;
    char piece[4096];
    while (received.find("Connection: close\r\n\r\n") == std::string::npos) {
      const ssize_t count = ::recv(connection, piece, sizeof piece, 0);
      if (count <= 0) break;
      received.append(piece, static_cast<std::size_t>(count));
    }
    ::send(connection, answer_.data(), answer_.size(), MSG_NOSIGNAL);
    ::close(connection);
  }

  std::string answer_;
  int listener_ = -1;
  testing::Endpoint endpoint_;
  std::thread thread_;
};

constexpr std::string_view good =
    "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\n"
    "Content-Length: 2\r\n\r\nOK";
constexpr std::string_view to_the_sentinel =
    "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\n"
    "Connection: close\r\nContent-Length: 16\r\n\r\n/path/sentinel\n\n";

// The text of the only failure, with the port of the rigged server called 8080.
std::string told(const std::string& answer, const Probe& probe) {
  const RiggedServer server(answer);
  const Finding finding = examine(server.endpoint(), probe);
  REQUIRE(finding.failures.size() == 1);
  std::string text = finding.failures[0].text;
  const std::string port = std::to_string(server.endpoint().port);
  for (auto at = text.find(port); at != std::string::npos; at = text.find(port, at)) {
    text.replace(at, port.size(), "8080");
  }
  return text;
}

}  // namespace

TEST_CASE("A server that does as it should is not blamed", "[suite]") {
  const RiggedServer server(std::string(good) + std::string(to_the_sentinel));
  const Finding finding = examine(server.endpoint(), {.request = get("/"), .outcome = "200 keep"});
  CHECK(finding.failures.empty());
  CHECK(finding.answers.last().body == "OK");
}

TEST_CASE("A wrong outcome is told with all that helps", "[suite]") {
  const Probe probe{
      .request = "GET / HTTP/1.1\r\n\r\n", .outcome = "400 close", .requirement = "9112-3.2-3"};
  CHECK(told(std::string(good) + std::string(to_the_sentinel), probe) ==
        R"text(the outcome is wrong
expected: 400 close
got:      200 keep
          ^
required by: 9112-3.2-3 (RFC 9112, section 3.2, MUST): )text"
        R"text(Answer 400 when an HTTP/1.1 request has no Host
sent:
    GET / HTTP/1.1\r\n
    \r\n
    GET /path/sentinel HTTP/1.1\r\n
    Host: a\r\n
    Connection: close\r\n
    \r\n
received:
    HTTP/1.1 200 OK\r\n
    Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n
    Content-Type: text/plain\r\n
    Content-Length: 2\r\n
    \r\n
    OKHTTP/1.1 200 OK\r\n
    Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n
    Content-Type: text/plain\r\n
    Connection: close\r\n
    Content-Length: 16\r\n
    \r\n
    /path/sentinel\n
    \n
    <closed>
likely cause: what has to be refused is served as if nothing were wrong )text"
        R"text(with it: a check is missing, or looks at other bytes than these
again, by hand:
    printf '%b' 'GET / HTTP/1.1\r\n' \
    '\r\n' \
    | nc 127.0.0.1 8080
or
    curl -si --path-as-is 'http://127.0.0.1:8080/'
)text");
}

TEST_CASE("A malformed answer is told with a caret at the byte", "[suite]") {
  const std::string text =
      told("HTTP/1.1 200 OK\r\nBad Name: x\r\n\r\n",
           {.request = get("/"), .outcome = "200 keep", .requirement = "9110-9.1-1"});
  CHECK(text.find("a field name that is no token (RFC 9112, 5): `Bad Name: x`\n"
                  "    Bad Name: x\n"
                  "       ^\n"
                  "expected: 200 keep\n"
                  "got:      a malformed answer\n") == 0);
}

TEST_CASE("What the linter finds is told with its own requirement", "[suite]") {
  const std::string text =
      told("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" + std::string(to_the_sentinel),
           {.request = get("/"), .outcome = "200 keep"});
  CHECK(text.find("an answer is wrong: ") == 0);
  CHECK(text.find("required by: 9110-6.6.1-1 (RFC 9110, section 6.6.1, MUST): ") !=
        std::string::npos);
  CHECK(text.find("expected:") == std::string::npos);
}

TEST_CASE("The end without a word is told as that", "[suite]") {
  const std::string text =
      told("", {.request = get("/"), .outcome = "200 keep", .requirement = "9110-9.1-1"});
  CHECK(text.find("got:      no answer, close\n") != std::string::npos);
  CHECK(text.find("likely cause: the connection is closed without a word") != std::string::npos);
}

TEST_CASE("Of long texts the place of the difference is shown", "[suite]") {
  CHECK(difference_text("one\ntwo", "one\nTwo") ==
        "expected: one\\ntwo\ngot:      one\\nTwo\n               ^");
  const std::string same = repeated('x', 1000);
  CHECK(difference_text(same + "a", same + "b") == "expected: ..." + repeated('x', 60) +
                                                       "a\ngot:      ..." + repeated('x', 60) +
                                                       "b\n" + repeated(' ', 73) + "^");
}

TEST_CASE("A request is given as a command, where there is one", "[suite]") {
  const testing::Endpoint here{"127.0.0.1", 8080};
  CHECK(curl_command(post("hello", "X: y\r\n"), here) ==
        "curl -si --path-as-is -X 'POST' -H 'Host: a' -H 'X: y' --data-binary 'hello' "
        "-H 'Content-Type:' 'http://127.0.0.1:8080/'");
  CHECK(curl_command(request("HEAD", "/a?b"), here) ==
        "curl -si --path-as-is -I -H 'Host: a' 'http://127.0.0.1:8080/a?b'");
  CHECK(curl_command(get("/") + get("/"), here).empty());
  CHECK(curl_command("GET / HTTP/1.0\r\n\r\n", here).empty());
  CHECK(curl_command(get("/", "X:\x01\r\n"), here).empty());
  CHECK(curl_command(post_chunked("0\r\n\r\n"), here).empty());
  CHECK(curl_command("GET / HTTP/1.1\r\nHost: a\r\n", here).empty());
  CHECK(nc_command(repeated('x', 1000), here).empty());
}

TEST_CASE("A server that cannot be judged is told in a sentence", "[suite]") {
  const RiggedServer silent("");
  CHECK(readiness_fault(silent.endpoint()).find("it closes the connection without an answer") == 0);
  const RiggedServer other("SSH-2.0-OpenSSH_9.2\r\n");
  CHECK(readiness_fault(other.endpoint()).find("its answer is no HTTP/1.x answer") == 0);
  const RiggedServer broken("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
  CHECK(readiness_fault(broken.endpoint()).find("it answers 404 where 200 is due") == 0);
}

}  // namespace stagecraft::conformance
