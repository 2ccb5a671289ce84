// Send bytes, see what comes back, and prove whether the connection was kept.
//
// A probe is sent on a connection of its own, and behind it, in the same write, a sentinel: a
// complete `GET /path/sentinel` that asks for the close. All is read until the server closes. If
// the sentinel was answered, the connection was kept; if not, it was closed: no silence is ever
// waited for.
//
// What must come is written as text, `400 close` or `200, 404 keep`: the status codes in order,
// interim ones too, then
//   keep   the sentinel was answered
//   close  it was not, and the last answer before the close said `Connection: close`
//   any    one of the two
// with ` or ` between alternatives, and behind ` / ` what the RFC allows besides (see outcome.h).
// Every answer is linted as well (see lint.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/outcome.h"
#include "conformance/routes.h"
#include "conformance/verdicts.h"
#include "support/client.h"
#include "support/http_response.h"

namespace stagecraft::conformance {

/// How the bytes of a probe reach the server.
enum class Pace {
  at_once,      ///< one write, the sentinel in it
  byte_by_byte  ///< each byte when the one before was received; the last comes with the sentinel
};

/// What follows a probe's bytes.
enum class Then {
  sentinel,   ///< the sentinel request
  half_close  ///< the end of what the client sends; the server must answer what was whole and close
};

/// One probe.
struct Probe {
  std::string request;
  std::string outcome;    ///< as above
  std::string hint = {};  ///< the likely cause; printed when it fails
  /// The id that it shows; empty: those in the tags of the running case.
  std::string requirement = {};
  Then then = Then::sentinel;
  /// Where the bytes are cut, besides the pace: each cut waits until the server has received all
  /// before it.
  std::vector<std::size_t> cuts = {};
  /// Where the client waits until something has come back before it sends on; 0: nowhere.
  std::size_t answer_awaited_at = 0;
  /// Whether a reset after the last answer is forgiven: for requests so large that no server reads
  /// all of them before it closes.
  bool reset_forgiven = false;
};

/// What came back.
struct Answers {
  std::vector<testing::HttpResponse> list;  ///< without the sentinel's
  std::string outcome;                      ///< `200 keep`, or what went wrong in words
  std::string exchange;                     ///< what was sent and what came, readable

  /// The only answer, or the last final one. Throws std::logic_error if there is none.
  const testing::HttpResponse& last() const&;
  /// By value from a temporary, so that `check(...).last().body` may be looped over.
  testing::HttpResponse last() &&;
};

/// What came of a probe, and what is wrong with it.
struct Finding {
  Answers answers;
  std::vector<Failure> failures;
};

/// Sends the probe and compares, and fails nothing: for check_at(), and for the tests of this
/// suite.
Finding examine(const testing::Endpoint& server, const Probe& probe, Pace pace = Pace::at_once);

/// Sends the probe and compares; a difference fails the running case, which goes on. The
/// case is not judged if the server under test does not have the route that is asked for.
Answers check(const Probe& probe, Pace pace = Pace::at_once);
Answers check_at(const testing::Endpoint& server, const Probe& probe, Pace pace = Pace::at_once);
Answers check(std::string_view request, std::string_view outcome, std::string_view hint = "");

/// Compares the content of the last answer; a difference fails the running case, and is shown with
/// a caret under the first byte that differs. Nothing is compared if there is no answer: then its
/// check() has failed already.
void check_body(const Answers& answers, std::string_view expected);

/// The same, but a difference ends the case: for those that look closer at the answers.
Answers require(std::string_view request, std::string_view outcome, std::string_view hint = "");

/// Lints answers that were read without check(), from a Client; what is wrong fails the case.
void check_lint(const testing::HttpResponse& answer, std::string_view method = "GET");

/// The head of a request: `METHOD TARGET HTTP/1.1`, `Host: a`, `fields` (each with its CRLF) and
/// the empty line.
std::string request(std::string_view method, std::string_view target, std::string_view fields = "");
inline std::string get(std::string_view target, std::string_view fields = "") {
  return request("GET", target, fields);
}

/// A POST to `/` whose body is `body` in one piece, with a Content-Length.
std::string post(std::string_view body, std::string_view fields = "");

/// A POST to `target` with `Transfer-Encoding: chunked`, whose body is `chunks`, raw.
std::string post_chunked(std::string_view chunks, std::string_view target = "/");

/// A run of `size` equal bytes. (Not the constructor of std::string: gcc 12 warns of reads out of
/// bounds, which are not there, where its result is added to.)
std::string repeated(char byte, std::size_t size);

/// What `--app echo` answers to the sentinel: the decoded path and the query, a line each.
inline constexpr std::string_view sentinel_body = "/path/sentinel\n\n";

/// The sentinel, for cases that send it by themselves, and whether an answer is the sentinel's.
std::string sentinel();
bool is_sentinel_answer(const testing::HttpResponse& answer);

}  // namespace stagecraft::conformance
