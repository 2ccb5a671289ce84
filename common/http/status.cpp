#include "http/status.h"

#include <algorithm>
#include <array>

namespace stagecraft {
namespace {

struct Entry {
  Status status;
  std::string_view phrase;
};

// In order of the codes, for the binary search below.
constexpr std::array entries{
    Entry{Status::continue_, "Continue"},
    Entry{Status::switching_protocols, "Switching Protocols"},
    Entry{Status::ok, "OK"},
    Entry{Status::created, "Created"},
    Entry{Status::accepted, "Accepted"},
    Entry{Status::non_authoritative_information, "Non-Authoritative Information"},
    Entry{Status::no_content, "No Content"},
    Entry{Status::reset_content, "Reset Content"},
    Entry{Status::partial_content, "Partial Content"},
    Entry{Status::multiple_choices, "Multiple Choices"},
    Entry{Status::moved_permanently, "Moved Permanently"},
    Entry{Status::found, "Found"},
    Entry{Status::see_other, "See Other"},
    Entry{Status::not_modified, "Not Modified"},
    Entry{Status::temporary_redirect, "Temporary Redirect"},
    Entry{Status::permanent_redirect, "Permanent Redirect"},
    Entry{Status::bad_request, "Bad Request"},
    Entry{Status::unauthorized, "Unauthorized"},
    Entry{Status::payment_required, "Payment Required"},
    Entry{Status::forbidden, "Forbidden"},
    Entry{Status::not_found, "Not Found"},
    Entry{Status::method_not_allowed, "Method Not Allowed"},
    Entry{Status::not_acceptable, "Not Acceptable"},
    Entry{Status::proxy_authentication_required, "Proxy Authentication Required"},
    Entry{Status::request_timeout, "Request Timeout"},
    Entry{Status::conflict, "Conflict"},
    Entry{Status::gone, "Gone"},
    Entry{Status::length_required, "Length Required"},
    Entry{Status::precondition_failed, "Precondition Failed"},
    Entry{Status::content_too_large, "Content Too Large"},
    Entry{Status::uri_too_long, "URI Too Long"},
    Entry{Status::unsupported_media_type, "Unsupported Media Type"},
    Entry{Status::range_not_satisfiable, "Range Not Satisfiable"},
    Entry{Status::expectation_failed, "Expectation Failed"},
    Entry{Status::im_a_teapot, "I'm a Teapot"},
    Entry{Status::misdirected_request, "Misdirected Request"},
    Entry{Status::unprocessable_content, "Unprocessable Content"},
    Entry{Status::upgrade_required, "Upgrade Required"},
    Entry{Status::precondition_required, "Precondition Required"},
    Entry{Status::too_many_requests, "Too Many Requests"},
    Entry{Status::request_header_fields_too_large, "Request Header Fields Too Large"},
    Entry{Status::internal_server_error, "Internal Server Error"},
    Entry{Status::not_implemented, "Not Implemented"},
    Entry{Status::bad_gateway, "Bad Gateway"},
    Entry{Status::service_unavailable, "Service Unavailable"},
    Entry{Status::gateway_timeout, "Gateway Timeout"},
    Entry{Status::http_version_not_supported, "HTTP Version Not Supported"},
};
static_assert(std::ranges::is_sorted(entries, {}, &Entry::status));

}  // namespace

std::string_view reason_phrase(Status status) {
  const auto* entry = std::ranges::lower_bound(entries, status, {}, &Entry::status);
  return entry != entries.end() && entry->status == status ? entry->phrase : std::string_view{};
}

}  // namespace stagecraft
