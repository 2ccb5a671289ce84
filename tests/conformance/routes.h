// What the server under test offers, and what a request needs.
#pragma once

#include <string>
#include <string_view>

#include "support/client.h"

namespace stagecraft::conformance {

/// Looks for each route of `--app echo` on a server that somebody else has started. What it does
/// not have, or answers otherwise, is not demanded of it: such cases are not judged. A program that
/// this process starts has to have them all, so nobody looks.
void look_for_routes(const testing::Endpoint& server);

/// The names of the routes that were looked for in vain, as `echo, /fields`; empty: none.
std::string missing_routes();

/// The running case is not judged if `bytes`, one or more requests, ask for a route that is
/// missing.
void need_routes_of(std::string_view bytes);

/// The same for the echo of a body, for preconditions of what has no validators, for paths
/// that are refused although no file could be meant, and for the body
/// of `GET /`, which is `front_page_body`.
void need_echo();
void need_preconditions();
void need_guarded_paths();
void need_front_page();
inline constexpr std::string_view front_page_body = "OK";

/// A client that sends no request to a route that is missing: see need_routes_of().
class Client : public testing::Client {
 public:
  using testing::Client::Client;

  void send(std::string_view bytes) {
    need_routes_of(bytes);
    testing::Client::send(bytes);
  }
  void send_byte_by_byte(std::string_view bytes) {
    need_routes_of(bytes);
    testing::Client::send_byte_by_byte(bytes);
  }
};

}  // namespace stagecraft::conformance
