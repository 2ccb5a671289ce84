// The application that answers everything, for probes and conformance suites (--app echo).
#pragma once

#include "web/router.h"

namespace stagecraft {

/// Gives a body back, and `OK` where there is none, on every path; and on a few paths tells what
/// the server has understood of the request:
///
///     /cookie        its cookies, one per line: name=value
///     /fields        its fields and trailers as they came, one per line: Name: value
///     /authority     whom it was meant for
///     /path/...      its decoded path, and on a second line its query
///     /chunked       answers with a body of unknown length
///     /nocontent     answers 204
///     /notmodified   answers 304
///     /throw         has a handler that fails
///     /large?n=N     answers with N bytes, 64 MiB at most
///     /raw           becomes a stream of bytes that come back, after `Upgrade: echo`
Router echo_routes();

}  // namespace stagecraft
