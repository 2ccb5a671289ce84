// Whole conversations with a session, held in every way in which a network may cut them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "http/application.h"
#include "http/session.h"
#include "support/http_response.h"

namespace stagecraft::testing {

/// An application made of paths. Any other path is answered 404.
class Site {
 public:
  Site();
  Site& add(std::string path, Handler handler, Admit admit = {});
  /// Looks the site up by reference: it must outlive the application.
  Application application() const;

 private:
  std::map<std::string, Route, std::less<>> routes_;
  Route missing_;
};

/// `/` answers `hello`, `/echo` gives the body back, `/close` closes, `/empty` answers 204.
const Site& plain_site();

enum class Client { keeps_open, half_closes };

enum class End {
  kept,    ///< the session waits for more
  closed,  ///< it has closed, or closed its own side and waits for the client's
  reset
};

struct Conversation {
  std::string output;
  End end = End::kept;
  bool lingers = false;  ///< our side was closed first, since input was unread
};

/// What comes back for INPUT. Held whole, byte by byte and split in two at every position, and sent
/// whole, a byte and seven bytes at a time; requires that output and end are always the same.
/// Whether it lingers depends on what has arrived by then: that is told of the whole.
Conversation converse(const Application& application, std::string_view input,
                      Client client = Client::keeps_open, const Limits& limits = {});

/// Takes OUTPUT apart by a reader that forgives nothing. METHODS are those of the requests, in
/// order; where there are more answers, GET.
std::vector<HttpResponse> read_answers(std::string_view output,
                                       const std::vector<std::string>& methods = {});

/// `200 hello`, joined by ` | `, without what all answers have.
std::string summary(std::string_view output, const std::vector<std::string>& methods = {});

}  // namespace stagecraft::testing
