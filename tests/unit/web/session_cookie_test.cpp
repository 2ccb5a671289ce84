// Sessions that live in a signed cookie.
#include "web/session_cookie.h"

#include <optional>
#include <stdexcept>
#include <string>

#include "catch.h"
#include "unit/web/random_text.h"
#include "unit/web/with_request.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

std::time_t now = 1'000'000;

SessionCookie cookie_signed_with(const std::string& digit) {
  SessionCookie::Manner manner;
  manner.cookie.name = "session";
  manner.lifetime = std::chrono::seconds(100);
  return {manner, {SecretKey::from_hex(digit + std::string(63, '0'))}, [] { return now; }};
}

// "session=VALUE", as a browser brings it back.
std::string set_by(const SessionCookie& cookies, const Form& session) {
  Response response;
  cookies.write(response, session);
  const std::string text(response.field("Set-Cookie").value_or(""));
  return text.substr(0, text.find(';'));
}

std::optional<Form> read(const SessionCookie& cookies, const std::string& cookie) {
  std::optional<Form> session;
  with_request("GET /", "Cookie: " + cookie + "\r\n", {},
               [&](const Request& request) { session = cookies.read(request); });
  return session;
}

Form some_session() {
  Form session;
  session.add("user", "Zo\xc3\xab & co");
  session.add("user", "");
  return session;
}

}  // namespace

TEST_CASE("A session comes back until it is over") {
  now = 1'000'000;
  const SessionCookie cookies = cookie_signed_with("1");
  const std::string cookie = set_by(cookies, some_session());
  CHECK(read(cookies, cookie) == some_session());
  now += 99;
  CHECK(read(cookies, cookie) == some_session());
  now += 1;
  CHECK_FALSE(read(cookies, cookie));
}

TEST_CASE("A session of others is none") {
  now = 1'000'000;
  const SessionCookie cookies = cookie_signed_with("1");
  const std::string cookie = set_by(cookies, some_session());
  CHECK_FALSE(read(cookie_signed_with("2"), cookie));
  CHECK_FALSE(read(cookies, "other" + cookie.substr(7)));
  CHECK_FALSE(read(cookies, "session="));
  CHECK_FALSE(read(cookies, "a=b"));
  // Signed by the same key, for another purpose.
  const Signer other("session other", {SecretKey::from_hex("1" + std::string(63, '0'))});
  CHECK_FALSE(read(cookies, "session=" + other.sign("9999999999&user=root")));
  // And what we never write, though it is signed.
  const Signer same("session session", {SecretKey::from_hex("1" + std::string(63, '0'))});
  CHECK(read(cookies, "session=" + same.sign("9999999999&user=root")));
  for (const char* text : {"", "&user=root", "x&user=root", "99999999999999999999&a=b"}) {
    CHECK_FALSE(read(cookies, "session=" + same.sign(text)));
  }
}

TEST_CASE("A session's cookie has its lifetime, and is not for scripts") {
  Response response;
  cookie_signed_with("1").write(response, {});
  const std::string text(response.field("Set-Cookie").value_or(""));
  CHECK_THAT(text, Catch::EndsWith("; Path=/; Max-Age=100; HttpOnly; SameSite=Lax"));
  Response last;
  cookie_signed_with("1").end(last);
  CHECK_THAT(std::string(last.field("Set-Cookie").value_or("")), Catch::Contains("Max-Age=0"));
}

TEST_CASE("A session that no browser would keep is refused") {
  Form large;
  large.add("a", std::string(4000, 'x'));
  Response response;
  CHECK_THROWS_AS(cookie_signed_with("1").write(response, large), std::invalid_argument);
  SessionCookie::Manner manner;
  manner.cookie.name = "a b";
  CHECK_THROWS_AS(SessionCookie(manner, {SecretKey::random()}), std::invalid_argument);
}

TEST_CASE("Whatever a session has comes back") {
  now = 1'000'000;
  RandomText random;
  INFO("STAGECRAFT_SEED=" << random.seed());
  const SessionCookie cookies = cookie_signed_with("1");
  for (int round = 0; round < 200; ++round) {
    Form session;
    for (std::size_t count = random.number(4); count > 0; --count) {
      session.add("n" + random.utf8(3), random.utf8(20));
    }
    REQUIRE(read(cookies, set_by(cookies, session)) == session);
  }
}
