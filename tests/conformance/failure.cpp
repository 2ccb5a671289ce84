#include "conformance/failure.h"

#include <algorithm>
#include <vector>

#include "conformance/probe.h"
#include "support/printable.h"

namespace stagecraft::conformance {
namespace {

using testing::printable;

constexpr std::string_view line_end = "\r\n";
// So much of a long text is shown before and behind the byte that differs.
constexpr std::size_t neighbourhood = 60;

// As `printable`, but each byte by itself, so that a caret can be put below it.
std::string plain(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += printable(std::string_view(&byte, 1));
  return text;
}

// Plain words that a shell takes between single quotes.
bool quotable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char byte) { return byte >= ' ' && byte <= '~' && byte != '\''; });
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

struct Outcome {
  std::vector<std::string_view> statuses;
  std::string_view end;
};

Outcome split(std::string_view text) {
  Outcome outcome;
  const auto space = text.rfind(' ');
  outcome.end = text.substr(space == std::string_view::npos ? 0 : space + 1);
  text = text.substr(0, space == std::string_view::npos ? 0 : space);
  while (!text.empty()) {
    const auto comma = text.find(", ");
    outcome.statuses.push_back(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 2);
  }
  if (outcome.statuses.size() == 1 && outcome.statuses[0].find("no answer") == 0) {
    outcome.statuses.clear();
  }
  return outcome;
}

bool is_error(std::string_view status) { return !status.empty() && status[0] >= '4'; }

std::string cause_of_status(std::string_view wanted, std::string_view came) {
  if (is_error(wanted) && !is_error(came)) {
    return "what has to be refused is served as if nothing were wrong with it: a check is missing, "
           "or looks at other bytes than these";
  }
  if (!is_error(wanted) && came == "400") {
    return "the parser refuses what the grammar allows";
  }
  if (!is_error(wanted) && came == "500") return "the handler, or what calls it, has thrown";
  return "";
}

}  // namespace

std::string likely_cause(std::string_view expected, std::string_view got) {
  const Outcome wanted = split(expected.substr(0, expected.find(" or ")));
  const Outcome came = split(got);
  if (came.end == "reset") {
    return "a socket that is closed with unread input sends a reset, which may overtake the "
           "answer: "
           "shut down the sending side, read for a while, then close";
  }
  if (got == "no close") {
    return "the server waits for more bytes where none are due, or does not close after a request "
           "that asks for it";
  }
  if (came.statuses.empty() && !wanted.statuses.empty()) {
    return "the connection is closed without a word: an error path that forgets to answer, or an "
           "exception that ends the connection";
  }
  if (came.statuses.size() > wanted.statuses.size()) {
    return "bytes of one request were taken for another one: where the first one ends is read "
           "wrongly";
  }
  if (came.statuses.size() < wanted.statuses.size()) {
    return "a request of the pipeline was lost: taken for the body of the one before it, or left "
           "in a buffer that nobody looks at again";
  }
  for (std::size_t i = 0; i < came.statuses.size(); ++i) {
    if (came.statuses[i] != wanted.statuses[i]) {
      return cause_of_status(wanted.statuses[i], came.statuses[i]);
    }
  }
  if (wanted.end == "keep" && came.end == "close") {
    return "the connection is closed though nothing asks for it: does the answer say how long it "
           "is, and is the request read to its end?";
  }
  if (wanted.end == "close" && came.end == "keep") {
    return "the connection is kept though it must not be: what follows may be anything";
  }
  return "";
}

std::string difference_text(std::string_view expected, std::string_view got) {
  std::size_t same = 0;
  while (same < expected.size() && same < got.size() && expected[same] == got[same]) ++same;
  const std::size_t start = same > neighbourhood ? same - neighbourhood : 0;
  const auto shown = [&](std::string_view text) {
    std::string part = plain(text.substr(start, same - start + neighbourhood));
    if (start > 0) part.insert(0, "...");
    if (text.size() > same + neighbourhood) part += "...";
    return part;
  };
  const std::size_t column =
      plain(expected.substr(start, same - start)).size() + (start > 0 ? 3 : 0);
  return "expected: " + shown(expected) + "\ngot:      " + shown(got) + "\n          " +
         repeated(' ', column) + "^";
}

std::string nc_command(std::string_view request, const testing::Endpoint& server) {
  const std::string command = testing::shell_command(request);
  if (command.empty()) return "";
  return command.substr(0, command.rfind("nc ")) + "nc " + server.host + " " +
         std::to_string(server.port);
}

std::string curl_command(std::string_view request, const testing::Endpoint& server) {
  const auto head_end = request.find("\r\n\r\n");
  if (head_end == std::string_view::npos) return "";
  const std::string body_size = std::to_string(request.size() - head_end - 4);
  const auto take_line = [&request] {
    const auto end = std::min(request.find(line_end), request.size());
    const std::string_view line = request.substr(0, end);
    request.remove_prefix(std::min(end + line_end.size(), request.size()));
    return line;
  };
  const std::string_view first = take_line();
  const auto target = first.find(" /");
  const auto version = first.find(" HTTP/1.1");
  if (target == std::string_view::npos || version == std::string_view::npos ||
      version + 9 != first.size() || first.find(' ', target + 1) != version || !quotable(first)) {
    return "";
  }
  const std::string_view method = first.substr(0, target);
  std::string command = "curl -si --path-as-is";
  if (method == "HEAD") command += " -I";
  if (method != "GET" && method != "HEAD") command += " -X " + quoted(method);
  bool has_length = false;
  for (std::string_view line = take_line(); !line.empty(); line = take_line()) {
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos || !quotable(line) || colon + 2 == line.size()) return "";
    if (testing::equal_names(line.substr(0, colon), "Transfer-Encoding")) return "";
    const bool length = testing::equal_names(line.substr(0, colon), "Content-Length");
    if (length && (has_length || line.substr(colon + 2) != body_size)) return "";
    has_length = has_length || length;
    if (!length) command += " -H " + quoted(line);
  }
  if (!quotable(request) || (!request.empty() && !has_length) || command.size() > 600) return "";
  if (has_length) command += " --data-binary " + quoted(request) + " -H 'Content-Type:'";
  return command + " 'http://" + server.text() +
         std::string(first.substr(target + 1, version - target - 1)) + "'";
}

std::string complaint_text(const Complaint& complaint, const testing::Endpoint& server) {
  std::string text = complaint.what + "\n";
  if (!complaint.expected.empty()) {
    text += difference_text(complaint.expected, complaint.got) + "\n";
  }
  text += "required by: " + complaint.required + "\n" + complaint.exchange;
  if (!complaint.cause.empty()) text += "likely cause: " + complaint.cause + "\n";
  const std::string nc = nc_command(complaint.request, server);
  const std::string curl = curl_command(complaint.request, server);
  if (!nc.empty()) text += "again, by hand:\n    " + nc + "\n";
  if (!curl.empty()) text += (nc.empty() ? "again, by hand:\n    " : "or\n    ") + curl + "\n";
  return text;
}

}  // namespace stagecraft::conformance
