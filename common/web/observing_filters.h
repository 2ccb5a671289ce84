// Filters that look at answers, and add to them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "web/filter.h"

namespace stagecraft {

/// Tells `write` of each answer of these routes, before it is sent: for a log of a part of a site.
/// The programs' `--log access` tells of all answers, and of those that no route gave. On the
/// session's thread; the texts live as long as the call. Of a body whose length nobody knows yet
/// body_bytes is 0.
Filter access_log(std::function<void(const AccessRecord&)> write);

/// Fields that make browsers careful with what they get. Each is set unless the answer has it
/// already; an empty value leaves it out.
struct SecurityHeaders {
  std::string content_type_options = "nosniff";
  /// Scripts, styles and pictures from here alone, and no other site may frame the page.
  std::string content_security_policy =
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
  std::string referrer_policy = "same-origin";
  std::string opener_policy = "same-origin";
  /// For sites with TLS only: a browser that has seen it never comes without again.
  std::string strict_transport_security = {};
};

/// Throws std::invalid_argument for a value that cannot be sent.
Filter security_headers(const SecurityHeaders& headers = {});

}  // namespace stagecraft
