#include "conformance/readiness.h"

#include <exception>
#include <stdexcept>

#include "conformance/probe.h"
#include "support/client.h"
#include "support/http_response.h"
#include "support/printable.h"

namespace stagecraft::conformance {
namespace {

using testing::Endpoint;
using testing::HttpResponse;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string seen(const testing::Client& client) { return "\n" + client.conversation(); }

// One request that asks for the close, and what is wrong with its answer.
std::string answer_fault(const Endpoint& server, const std::string& request, std::string& body) {
  testing::Client client(server);
  client.send(request);
  try {
    client.wait_until_readable();
  } catch (const std::exception&) {
    return "it takes a connection and a request, and says nothing in ten seconds:" + seen(client);
  }
  std::string bytes;
  try {
    bytes = client.read_to_end();
  } catch (const std::exception&) {
    return "it answers, but does not close the connection after `Connection: close`, and that is "
           "how every case of this suite ends (RFC 9112, section 9.6):" +
           seen(client);
  }
  if (bytes.empty()) return "it closes the connection without an answer:" + seen(client);
  try {
    std::string_view rest = bytes;
    const auto answer = testing::take_response(rest, "GET", testing::Stream::ended);
    if (!answer) return "its answer is cut off:" + seen(client);
    if (answer->status != 200) {
      return "it answers " + std::to_string(answer->status) + " where 200 is due:" + seen(client);
    }
    body = answer->body;
  } catch (const testing::MalformedResponse& error) {
    return std::string("its answer is no HTTP/1.x answer: ") + error.what() + seen(client);
  }
  return "";
}

}  // namespace

std::string readiness_fault(const Endpoint& server) {
  try {
    std::string body;
    std::string fault = answer_fault(server, get("/", "Connection: close\r\n"), body);
    if (!fault.empty()) return fault;
    fault = answer_fault(server, sentinel(), body);
    if (!fault.empty()) return fault;
    if (body != sentinel_body) {
      return "GET /path/sentinel is answered with `" + testing::printable(body) + "`, not with `" +
             testing::printable(sentinel_body) +
             "`: a program prints the decoded path and the query, a line each; a file does as well";
    }
    return "";
  } catch (const std::exception& error) {
    return first_line(error.what());
  }
}

bool answers(const Endpoint& server) {
  try {
    testing::Client client(server);
    client.send(get("/", "Connection: close\r\n"));
    return !client.read_to_end().empty();
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace stagecraft::conformance
