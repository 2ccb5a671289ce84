// Whether a server can be judged at all.
#pragma once

#include <string>

#include "support/client.h"

namespace stagecraft::conformance {

/// What keeps this server from being judged, in a sentence: that nobody listens there, does not
/// answer, does not speak HTTP, does not close when asked, or does not keep the two promises that
/// every case rests on: `GET /` is answered 200, and `GET /path/sentinel` with its own path and two
/// line ends. Empty if nothing does.
std::string readiness_fault(const testing::Endpoint& server);

/// Whether it takes a connection and answers `GET /` with anything and the end.
bool answers(const testing::Endpoint& server);

}  // namespace stagecraft::conformance
