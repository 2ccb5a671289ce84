// Status codes and their reason phrases (RFC 9110 section 15).
#pragma once

#include <cstdint>
#include <string_view>

namespace stagecraft {

/// The status codes of RFC 9110 section 15, and 421, 428, 429, 431 of their own documents.
/// `none` is no answer: "nothing is wrong so far" where a function judges.
enum class Status : std::uint16_t {
  none = 0,
  continue_ = 100,
  switching_protocols = 101,
  ok = 200,
  created = 201,
  accepted = 202,
  non_authoritative_information = 203,
  no_content = 204,
  reset_content = 205,
  partial_content = 206,
  multiple_choices = 300,
  moved_permanently = 301,
  found = 302,
  see_other = 303,
  not_modified = 304,
  temporary_redirect = 307,
  permanent_redirect = 308,
  bad_request = 400,
  unauthorized = 401,
  payment_required = 402,
  forbidden = 403,
  not_found = 404,
  method_not_allowed = 405,
  not_acceptable = 406,
  proxy_authentication_required = 407,
  request_timeout = 408,
  conflict = 409,
  gone = 410,
  length_required = 411,
  precondition_failed = 412,
  content_too_large = 413,
  uri_too_long = 414,
  unsupported_media_type = 415,
  range_not_satisfiable = 416,
  expectation_failed = 417,
  im_a_teapot = 418,
  misdirected_request = 421,
  unprocessable_content = 422,
  upgrade_required = 426,
  precondition_required = 428,
  too_many_requests = 429,
  request_header_fields_too_large = 431,
  internal_server_error = 500,
  not_implemented = 501,
  bad_gateway = 502,
  service_unavailable = 503,
  gateway_timeout = 504,
  http_version_not_supported = 505,
};

/// The code as a number: 200 of Status::ok.
constexpr unsigned code(Status status) { return static_cast<unsigned>(status); }

/// The reason phrase of the status line, such as "Not Found"; empty for a code that is not listed
/// above (RFC 9112 section 4 lets it be empty).
std::string_view reason_phrase(Status status);

/// Whether an answer of this status ends with its head, whatever its fields say: 1xx, 204 and 304
/// (RFC 9112 section 6.3, rule 1).
constexpr bool has_no_body(Status status) {
  return code(status) < 200 || status == Status::no_content || status == Status::not_modified;
}

}  // namespace stagecraft
