// The guestbook, as its guests use it.
#include "app/guestbook.h"

#include <string>

#include "catch.h"
#include "unit/app/asking.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::string_view form_type = "Content-Type: application/x-www-form-urlencoded\r\n";
constexpr std::string_view multipart_type = "Content-Type: multipart/form-data; boundary=b\r\n";

// A browser with its cookies.
class Guest {
 public:
  HttpResponse get(const std::string& target, const std::string& fields = {}) {
    return keep(ask(application_, "GET " + target, cookie_ + fields));
  }
  HttpResponse post(const std::string& target, std::string_view type, const std::string& body) {
    return keep(ask(application_, "POST " + target, cookie_ + std::string(type), body));
  }
  HttpResponse log_in(const std::string& name = "Ada", const std::string& password = "guest") {
    return post("/login", form_type, "name=" + name + "&password=" + password);
  }
  HttpResponse write(const std::string& text, const std::string& file = {},
                     const std::string& file_name = {}) {
    return post("/entries", multipart_type,
                "--b\r\nContent-Disposition: form-data; name=text\r\n\r\n" + text +
                    "\r\n--b\r\nContent-Disposition: form-data; name=file; filename=\"" +
                    file_name + "\"\r\n\r\n" + file + "\r\n--b--\r\n");
  }
  std::string page() { return get("/").body; }
  std::string cookie() const { return cookie_; }

 private:
  HttpResponse keep(HttpResponse answer) {
    const std::string set = answer.field("Set-Cookie");
    if (!set.empty()) cookie_ = "Cookie: " + set.substr(0, set.find(';')) + "\r\n";
    return answer;
  }

  const Router routes_ = guestbook_routes([] { return std::time_t{1'000}; });
  const Application application_ = routes_.application();
  std::string cookie_;
};

bool has(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("Who is not known sees a form to log in, and nothing else") {
  Guest guest;
  CHECK(has(guest.page(), "action=\"/login\""));
  const HttpResponse sent_away = guest.write("x");
  CHECK(sent_away.status == 303);
  CHECK(sent_away.field("Location") == "/");
  CHECK(guest.get("/files/1/x").status == 303);
  CHECK(guest.get("/files/nonsense").status == 303);
  CHECK(guest.get("/nowhere").status == 404);
}

TEST_CASE("The wrong password and no name are told") {
  Guest guest;
  const HttpResponse wrong = guest.log_in("Ada", "geust");
  CHECK(wrong.status == 403);
  CHECK(has(wrong.body, "That is not the password."));
  CHECK(guest.log_in("").status == 403);
  CHECK(guest.log_in(std::string(101, 'a')).status == 403);
  CHECK(guest.post("/login", "Content-Type: text/plain\r\n", "x").status == 415);
  CHECK_FALSE(has(guest.page(), "action=\"/logout\""));
}

TEST_CASE("A guest comes, writes and leaves") {
  Guest guest;
  CHECK(guest.log_in("Zo%C3%AB+%3Cb%3E").status == 303);
  CHECK(has(guest.page(), "<b id=\"guest\">Zo\xc3\xab &lt;b&gt;</b>"));
  CHECK(guest.write("hello <script>").status == 303);
  CHECK(has(guest.page(), "<p class=\"text\">hello &lt;script&gt;</p>"));
  const std::string before = guest.cookie();
  CHECK(guest.post("/logout", form_type, "").status == 303);
  CHECK(guest.cookie() != before);
  CHECK(has(guest.page(), "action=\"/login\""));
}

TEST_CASE("A file is listed, and comes back whole, in part, or not at all") {
  Guest guest;
  guest.log_in();
  CHECK(guest.write("", "0123456789", "C:\\a <b>.txt").status == 303);
  const std::string page = guest.page();
  CHECK(has(page, "<a href=\"/files/1/a%20%3Cb%3E.txt\">a &lt;b&gt;.txt</a>"));
  CHECK(has(page, "10 bytes"));
  const HttpResponse whole = guest.get("/files/1/a");
  CHECK(whole.status == 200);
  CHECK(whole.field("Content-Length") == "10");
  CHECK(whole.field("Content-Type") == "application/octet-stream");
  CHECK(whole.field("X-Content-Type-Options") == "nosniff");
  CHECK(whole.field("Content-Disposition") == "attachment; filename*=UTF-8''a%20%3Cb%3E.txt");
  const HttpResponse part = guest.get("/files/1/a", "Range: bytes=2-5\r\n");
  CHECK(part.status == 206);
  CHECK(part.field("Content-Range") == "bytes 2-5/10");
  CHECK(guest.get("/files/1/a", "Range: bytes=10-\r\n").status == 416);
  CHECK(guest.get("/files/1/a", "If-None-Match: " + whole.field("ETag") + "\r\n").status == 304);
  CHECK(guest.get("/files/2/a").status == 404);
  CHECK(guest.get("/files/99999999999999999999/a").status == 404);
  CHECK(guest.get("/files/x/a").status == 404);
}

TEST_CASE("Entries that are nothing or too much are refused") {
  Guest guest;
  guest.log_in();
  CHECK(guest.write("").status == 422);
  CHECK(guest.write(std::string(3'900, 'x')).status == 303);
  CHECK(guest.post("/entries", form_type, "text=x").status == 415);
}

TEST_CASE("Old entries make room for new ones") {
  Guest guest;
  guest.log_in();
  for (int i = 1; i <= 101; ++i) guest.write("entry " + std::to_string(i), "x", "x");
  const std::string page = guest.page();
  CHECK(has(page, ">entry 101<"));
  CHECK(has(page, ">entry 2<"));
  CHECK_FALSE(has(page, ">entry 1<"));
  CHECK(guest.get("/files/1/x").status == 404);
  CHECK(guest.get("/files/2/x").status == 200);
}

TEST_CASE("Who tries too many passwords has to wait") {
  Guest guest;
  int refused = 0;
  for (int i = 0; i < 30; ++i) refused += guest.log_in("Ada", "no").status == 429 ? 1 : 0;
  CHECK(refused > 0);
}
