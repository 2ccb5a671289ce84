#include "conformance/probe.h"

#include <exception>
#include <stdexcept>
#include <utility>

#include "catch.h"
#include "conformance/lint.h"
#include "conformance/requirements.h"
#include "conformance/server.h"
#include "support/printable.h"

namespace stagecraft::conformance {
namespace {

using testing::Client;
using testing::Ending;
using testing::HttpResponse;
using testing::Stream;

constexpr std::string_view sentinel_target = "/path/sentinel";
// What `--app echo` answers there: the decoded path and the query, a line each.
constexpr std::string_view sentinel_body = "/path/sentinel\n\n";

// The first word of the request. The others of a pipeline are never HEAD (see the cases).
std::string_view method_of(std::string_view request) {
  const auto start = request.find_first_not_of("\r\n");
  if (start == std::string_view::npos) return "";
  return request.substr(start, request.find_first_of(" \t\r\n", start) - start);
}

void send_probe(Client& client, const Probe& probe, Pace pace) {
  std::string bytes = probe.request;
  if (probe.answer_awaited_at > 0) {
    client.send(bytes.substr(0, probe.answer_awaited_at));
    client.wait_until_readable();
    bytes.erase(0, probe.answer_awaited_at);
  }
  // The last byte brings the sentinel: sent behind the answer to a request that closes, it would
  // meet a closed socket, and the reset would be our own fault.
  std::vector<std::size_t> cuts = probe.cuts;
  if (pace == Pace::byte_by_byte) {
    cuts.clear();
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) cuts.push_back(cut);
  }
  if (probe.then == Then::sentinel) bytes += sentinel();
  client.send_cut(bytes, cuts);
  if (probe.then == Then::half_close) client.finish_sending();
}

std::vector<HttpResponse> split(std::string_view bytes, std::string_view first_method) {
  std::vector<HttpResponse> answers;
  std::string_view method = first_method;
  while (!bytes.empty()) {
    auto answer = testing::take_response(bytes, method, Stream::ended);
    if (!answer) throw testing::MalformedResponse("the last answer is cut off");
    if (!answer->interim()) method = "GET";
    answers.push_back(*std::move(answer));
  }
  return answers;
}

std::string outcome_text(const std::vector<HttpResponse>& answers, std::string_view end) {
  std::string text;
  for (const HttpResponse& answer : answers) {
    text += (text.empty() ? "" : ", ") + std::to_string(answer.status);
  }
  if (text.empty()) text = "no answer,";
  return text + " " + std::string(end);
}

// What is wrong with when the server said that it closes; empty: nothing.
std::string announcement_fault(const std::vector<HttpResponse>& answers, bool kept) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const bool last_before_close = !kept && i + 1 == answers.size();
    const bool says_close = answers[i].lists("Connection", "close");
    if (answers[i].interim()) continue;
    if (last_before_close && !says_close) {
      return "the connection was closed, but the last answer had no `Connection: close` "
             "(9112-9.6-1)";
    }
    if (!last_before_close && says_close) {
      return "another request was answered after `Connection: close` (9112-9.6-5)";
    }
  }
  return "";
}

std::string caret_line(std::string_view expected, std::string_view got) {
  if (expected.find(" or ") != std::string_view::npos) return "";
  std::size_t same = 0;
  while (same < expected.size() && same < got.size() && expected[same] == got[same]) ++same;
  return "\n          " + repeated(' ', same) + "^";
}

std::string failure_text(const Probe& probe, const std::string& what, const std::string& got,
                         const Client& client) {
  std::string text = what;
  text += "\nexpected: " + probe.outcome + "\ngot:      " + got + caret_line(probe.outcome, got);
  text += "\nrequired by: ";
  text +=
      probe.requirement.empty() ? running_requirements_text() : requirement_text(probe.requirement);
  text += "\n" + client.conversation();
  if (!probe.hint.empty()) text += "hint: " + probe.hint + "\n";
  const std::string command = testing::shell_command(probe.request);
  if (!command.empty()) {
    text += "again, with the server started by `--port 8080 --app echo`:\n    " + command + "\n";
  }
  return text + server_state();
}

struct Trial {
  Answers answers;
  std::string fault;  ///< beyond the outcome; empty: none
};

// Lints and judges what was read to the end of the connection.
Trial judge(const Probe& probe, std::vector<HttpResponse> answers, Ending ending, Pace pace) {
  Trial trial;
  std::string_view method = method_of(probe.request);
  for (const HttpResponse& answer : answers) {
    for (const Violation& violation : lint(answer, method)) {
      trial.fault += "an answer is wrong: " + violation.text + "; " +
                     requirement_text(violation.requirement) + "\n";
    }
    if (!answer.interim()) method = "GET";
  }
  const bool kept = !answers.empty() && is_sentinel_answer(answers.back());
  if (kept) answers.pop_back();
  if (probe.then == Then::sentinel) trial.fault += announcement_fault(answers, kept);
  // Bytes that come one by one meet a server that has judged already and closes: the reset is
  // forgiven there as well, as long as the answer came.
  const bool forgiven = probe.reset_forgiven || pace == Pace::byte_by_byte;
  const bool lost = ending == Ending::reset && !(forgiven && !answers.empty());
  trial.answers.outcome = outcome_text(answers, lost ? "reset" : kept ? "keep" : "close");
  trial.answers.list = std::move(answers);
  return trial;
}

// The outcome is compared by the caller, so that the message can be made with the client's words.
Trial run(const Probe& probe, Client& client, Pace pace) {
  try {
    send_probe(client, probe, pace);
    const std::string bytes = client.read_to_end();
    return judge(probe, split(bytes, method_of(probe.request)), client.ending(), pace);
  } catch (const testing::MalformedResponse& error) {
    return {{{}, "a malformed answer"}, error.what()};
  } catch (const std::runtime_error& error) {
    const std::string what = error.what();
    return {{{}, "no close"}, what.substr(0, what.find('\n'))};
  }
}

}  // namespace

const HttpResponse& Answers::last() const& {
  if (list.empty()) throw std::logic_error("there is no answer: " + outcome);
  return list.back();
}

HttpResponse Answers::last() && { return std::as_const(*this).last(); }

bool outcome_allowed(std::string_view outcome, std::string_view expected) {
  constexpr std::string_view separator = " or ";
  while (!expected.empty()) {
    const auto end = expected.find(separator);
    const std::string_view one = expected.substr(0, end);
    if (outcome == one) return true;
    const auto space = one.rfind(' ');
    const bool any = space != std::string_view::npos && one.substr(space) == " any";
    const std::string_view statuses = one.substr(0, space);
    if (any && outcome.substr(0, space) == statuses &&
        (outcome.substr(space) == " keep" || outcome.substr(space) == " close")) {
      return true;
    }
    expected.remove_prefix(end == std::string_view::npos ? expected.size()
                                                         : end + separator.size());
  }
  return false;
}

Answers check(const Probe& probe, Pace pace) { return check_at(server(), probe, pace); }

Answers check_at(const testing::Endpoint& server, const Probe& probe, Pace pace) {
  Client client(server);
  Trial trial = run(probe, client, pace);
  std::string what = trial.fault;
  if (what.empty() && !outcome_allowed(trial.answers.outcome, probe.outcome)) {
    what = "the outcome is wrong";
  }
  if (what.empty()) {
    SUCCEED();
  } else {
    if (pace == Pace::byte_by_byte) what += ", sent byte by byte";
    FAIL_CHECK(failure_text(probe, what, trial.answers.outcome, client));
  }
  return std::move(trial.answers);
}

Answers check(std::string_view request, std::string_view outcome, std::string_view hint) {
  return check(Probe{
      .request = std::string(request), .outcome = std::string(outcome), .hint = std::string(hint)});
}

Answers require(std::string_view request, std::string_view outcome, std::string_view hint) {
  Answers answers = check(request, outcome, hint);
  if (!outcome_allowed(answers.outcome, outcome)) FAIL("the rest of this case needs that outcome");
  return answers;
}

void check_lint(const HttpResponse& answer, std::string_view method) {
  for (const Violation& violation : lint(answer, method)) {
    FAIL_CHECK("an answer is wrong: " << violation.text << "; "
                                      << requirement_text(violation.requirement) << "\n"
                                      << testing::printable_lines(answer.head));
  }
}

std::string request(std::string_view method, std::string_view target, std::string_view fields) {
  std::string text(method);
  text.append(" ").append(target).append(" HTTP/1.1\r\nHost: a\r\n").append(fields);
  return text + "\r\n";
}

std::string post(std::string_view body, std::string_view fields) {
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return request("POST", "/", length + std::string(fields)).append(body);
}

std::string post_chunked(std::string_view chunks, std::string_view target) {
  return request("POST", target, "Transfer-Encoding: chunked\r\n").append(chunks);
}

std::string repeated(char byte, std::size_t size) { return std::string(size, byte); }

std::string sentinel() { return get(sentinel_target, "Connection: close\r\n"); }

bool is_sentinel_answer(const HttpResponse& answer) {
  return answer.status == 200 && answer.body == sentinel_body;
}

}  // namespace stagecraft::conformance
