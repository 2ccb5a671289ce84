// The requests that are measured: the least that can be sent, and what a browser sends.
#pragma once

#include <string_view>

namespace stagecraft::bench {

/// 44 bytes, one field: a load generator's.
inline constexpr std::string_view minimal_request =
    "GET /json HTTP/1.1\r\n"
    "Host: localhost:8080\r\n"
    "\r\n";
static_assert(minimal_request.size() == 44);

/// 678 bytes, twelve fields: Chrome's for a page, with a cookie.
inline constexpr std::string_view browser_request =
    "GET /index.html HTTP/1.1\r\n"
    "Host: localhost:8080\r\n"
    "Connection: keep-alive\r\n"
    "Cache-Control: max-age=0\r\n"
    "sec-ch-ua: \"Not_A Brand\";v=\"8\", \"Chromium\";v=\"120\"\r\n"
    "sec-ch-ua-mobile: ?0\r\n"
    "sec-ch-ua-platform: \"Linux\"\r\n"
    "Upgrade-Insecure-Requests: 1\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/120.0.0.0 Safari/537.36\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,"
    "image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7\r\n"
    "Accept-Encoding: gzip, deflate, br\r\n"
    "Accept-Language: en-US,en;q=0.9\r\n"
    "Cookie: session=c3RhZ2VzIG9mIGEgc2VydmVy.ZGlmZiBpcyB0aGUgbGVzc29u.b25lIGlkZWEgYXQgYSB0aW1l;"
    " theme=dark; width=1280\r\n"
    "\r\n";
static_assert(browser_request.size() == 678);

}  // namespace stagecraft::bench
