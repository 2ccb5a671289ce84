#include "conformance/probe.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

#include "catch.h"
#include "conformance/failure.h"
#include "conformance/lint.h"
#include "conformance/requirements.h"
#include "conformance/server.h"
#include "support/printable.h"

namespace stagecraft::conformance {
namespace {

using testing::Ending;
using testing::HttpResponse;
using testing::Stream;

constexpr std::string_view sentinel_target = "/path/sentinel";

// The first word of the request. The others of a pipeline are never HEAD (see the cases).
std::string_view method_of(std::string_view request) {
  const auto start = request.find_first_not_of("\r\n");
  if (start == std::string_view::npos) return "";
  return request.substr(start, request.find_first_of(" \t\r\n", start) - start);
}

void send_probe(testing::Client& client, const Probe& probe, Pace pace) {
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

/// A fault besides the outcome, and the ids that it breaks.
struct Fault {
  std::string text;
  std::vector<std::string> requirements;
};

// Who tells too much about himself does so in each answer: enough if the case about it says so.
bool counts_here(const Violation& violation) {
  const std::vector<std::string>& ids = running_case().requirements;
  return judge() == Judge::profile || violation.requirement != "9110-10.2.4-1" ||
         std::find(ids.begin(), ids.end(), violation.requirement) != ids.end();
}

// Whether all request lines are those of HTTP/1.1, as far as a glance tells.
bool is_http_1_1(std::string_view request) {
  return request.find(" HTTP/1.1\r\n") != std::string_view::npos &&
         request.find("HTTP/1.0") == std::string_view::npos;
}

struct Trial {
  Answers answers;
  std::vector<Fault> faults;
};

// What is wrong with when the server said that it closes.
void judge_announcement(const std::vector<HttpResponse>& answers, bool kept,
                        std::vector<Fault>& faults) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const bool last_before_close = !kept && i + 1 == answers.size();
    const bool says_close = answers[i].lists("Connection", "close");
    if (answers[i].interim()) continue;
    if (last_before_close && !says_close) {
      faults.push_back({"the connection was closed, but the last answer had no `Connection: close`",
                        {"9112-9.6-1"}});
    }
    if (!last_before_close && says_close) {
      faults.push_back({"another request was answered after `Connection: close`", {"9112-9.6-5"}});
    }
  }
}

// Lints and judges what was read to the end of the connection.
Trial judge_answers(const Probe& probe, std::vector<HttpResponse> answers, Ending ending,
                    Pace pace) {
  Trial trial;
  std::string_view method = method_of(probe.request);
  for (const HttpResponse& answer : answers) {
    for (const Violation& violation : lint(answer, method)) {
      // Older requests, and what is no request at all, may be answered in an older version.
      const bool about_version = violation.requirement == "9112-2.3-1";
      if (!counts_here(violation)) continue;
      if (about_version && judge() == Judge::rfc && !is_http_1_1(probe.request)) continue;
      trial.faults.push_back({"an answer is wrong: " + violation.text, {violation.requirement}});
    }
    if (!answer.interim()) method = "GET";
  }
  const bool kept = !answers.empty() && is_sentinel_answer(answers.back());
  if (kept) answers.pop_back();
  if (probe.then == Then::sentinel) judge_announcement(answers, kept, trial.faults);
  // Bytes that come one by one meet a server that has judged already and closes: the reset is
  // forgiven there as well, as long as the answer came.
  const bool forgiven = probe.reset_forgiven || pace == Pace::byte_by_byte;
  const bool lost = ending == Ending::reset && !(forgiven && !answers.empty());
  trial.answers.outcome = outcome_text(answers, lost ? "reset" : kept ? "keep" : "close");
  trial.answers.list = std::move(answers);
  return trial;
}

Trial run(const Probe& probe, testing::Client& client, Pace pace) {
  try {
    send_probe(client, probe, pace);
    const std::string bytes = client.read_to_end();
    return judge_answers(probe, split(bytes, method_of(probe.request)), client.ending(), pace);
  } catch (const testing::MalformedResponse& error) {
    return {{{}, "a malformed answer", {}}, {{error.what(), {}}}};
  } catch (const std::runtime_error& error) {
    const std::string what = error.what();
    return {{{}, "no close", {}}, {{what.substr(0, what.find('\n')), {}}}};
  }
}

std::string required_text(const std::vector<std::string>& ids, const Probe& probe) {
  if (!ids.empty()) return requirements_text(ids);
  return probe.requirement.empty() ? running_requirements_text()
                                   : requirement_text(probe.requirement);
}

// Whether a probe is too large for our limits, as others need not have them.
bool is_about_limit(std::string_view outcome) {
  return outcome.starts_with("413") || outcome.starts_with("414") || outcome.starts_with("431");
}

}  // namespace

const HttpResponse& Answers::last() const& {
  if (list.empty()) throw std::logic_error("there is no answer: " + outcome);
  return list.back();
}

HttpResponse Answers::last() && { return std::as_const(*this).last(); }

Finding examine(const testing::Endpoint& server, const Probe& probe, Pace pace) {
  testing::Client client(server);
  Trial trial = run(probe, client, pace);
  std::vector<std::string> ids = running_case().requirements;
  if (!probe.requirement.empty()) ids = {probe.requirement};
  const std::string expected = expected_text(probe.outcome, judge());
  const bool has_outcome = trial.faults.empty() || !trial.faults.front().requirements.empty();
  if (has_outcome && !outcome_allowed(trial.answers.outcome, probe.outcome, judge(), ids)) {
    trial.faults.insert(trial.faults.begin(), {"the outcome is wrong", {}});
  }
  trial.answers.exchange = client.conversation();
  Finding finding;
  for (const Fault& fault : trial.faults) {
    const bool about_outcome = fault.requirements.empty();
    std::string cause = probe.hint;
    if (about_outcome && cause.empty()) cause = likely_cause(expected, trial.answers.outcome);
    const Complaint complaint{
        .what = fault.text + (pace == Pace::byte_by_byte ? ", sent byte by byte" : ""),
        .expected = about_outcome ? expected : "",
        .got = trial.answers.outcome,
        .required = required_text(fault.requirements, probe),
        .exchange = trial.answers.exchange,
        .cause = about_outcome ? cause : "",
        .request = probe.request};
    finding.failures.push_back(
        {about_outcome && !probe.requirement.empty() ? ids : fault.requirements,
         complaint_text(complaint, server)});
  }
  finding.answers = std::move(trial.answers);
  return finding;
}

Answers check(const Probe& probe, Pace pace) {
  const testing::Endpoint& endpoint = server();
  need_routes_of(probe.request);
  if (probe.outcome.find("412") == 0) need_preconditions();
  return check_at(endpoint, probe, pace);
}

Answers check_at(const testing::Endpoint& server, const Probe& probe, Pace pace) {
  Finding finding = examine(server, probe, pace);
  running_case().exchange = finding.answers.exchange;
  if (judge() == Judge::rfc && is_about_limit(probe.outcome) && !finding.failures.empty() &&
      !finding.answers.outcome.starts_with("4")) {
    not_judged("the limits of this server are larger");
  }
  if (!probe.requirement.empty()) running_case().judged.insert(probe.requirement);
  for (const Failure& failure : finding.failures) {
    blamed() = failure.requirements;
    FAIL_CHECK(failure.text << server_state());
    blamed().clear();
  }
  if (finding.failures.empty()) SUCCEED();
  return std::move(finding.answers);
}

void check_body(const Answers& answers, std::string_view expected) {
  if (expected == front_page_body) need_front_page();
  if (answers.list.empty() || answers.last().body == expected) {
    SUCCEED();
    return;
  }
  FAIL_CHECK("the content is wrong\n"
             << difference_text(expected, answers.last().body)
             << "\nrequired by: " << running_requirements_text() << "\n"
             << answers.exchange);
}

Answers check(std::string_view request, std::string_view outcome, std::string_view hint) {
  return check(Probe{
      .request = std::string(request), .outcome = std::string(outcome), .hint = std::string(hint)});
}

Answers require(std::string_view request, std::string_view outcome, std::string_view hint) {
  Answers answers = check(request, outcome, hint);
  if (!outcome_allowed(answers.outcome, outcome, judge(), running_case().requirements)) {
    leave_case();  // check() has failed it
  }
  return answers;
}

void check_lint(const HttpResponse& answer, std::string_view method) {
  for (const Violation& violation : lint(answer, method)) {
    blamed() = {violation.requirement};
    FAIL_CHECK("an answer is wrong: " << violation.text << "\nrequired by: "
                                      << requirement_text(violation.requirement) << "\n"
                                      << testing::printable_lines(answer.head));
    blamed().clear();
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
