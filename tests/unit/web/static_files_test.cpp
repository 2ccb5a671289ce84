// Files of a folder, and none outside it.
#include "web/static_files.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <system_error>

#include "catch.h"
#include "unit/app/asking.h"
#include "unit/web/served_folder.h"
#include "web/media_type.h"
#include "web/router.h"

using namespace stagecraft;
using namespace stagecraft::testing;

TEST_CASE("A file is served with its type, its length and what tells its state") {
  const ServedFolder served;
  served.file("a.txt", "content");
  const HttpResponse answer = served.get("/a.txt");
  CHECK(answer.status == 200);
  CHECK(answer.body == "content");
  CHECK(answer.field("Content-Type") == "text/plain; charset=utf-8");
  CHECK(answer.field("Content-Length") == "7");
  CHECK(answer.field("Last-Modified") == time_of_files);
  CHECK(answer.field("ETag").starts_with('"'));
  CHECK(answer.field("Accept-Ranges") == "bytes");
  CHECK(answer.field("X-Content-Type-Options") == "nosniff");
  CHECK_FALSE(answer.has("Vary"));
  CHECK_FALSE(answer.has("Content-Encoding"));
}

TEST_CASE("An empty file, an index, a file further down and one with a query are served") {
  const ServedFolder served;
  served.file("empty.css", "");
  served.file("index.html", "<p>index");
  served.file("sub/page.HTML", "<p>page");
  served.file("sub/index.html", "<p>sub");
  CHECK(served.get("/empty.css").field("Content-Length") == "0");
  CHECK(served.get("/").body == "<p>index");
  CHECK(served.get("/index.html").body == "<p>index");
  CHECK(served.get("/sub/").body == "<p>sub");
  CHECK(served.get("/sub/page.HTML?version=2").body == "<p>page");
  CHECK(served.get("/sub/page.HTML").field("Content-Type") == "text/html; charset=utf-8");
}

TEST_CASE("A folder without its slash is told where it is") {
  const ServedFolder served;
  served.file("sub/index.html", "<p>sub");
  served.file("a b/index.html", "<p>space");
  const HttpResponse answer = served.get("/sub?x=1&y=%20");
  CHECK(answer.status == 301);
  CHECK(answer.field("Location") == "/sub/?x=1&y=%20");
  CHECK(served.get("/a%20b").field("Location") == "/a%20b/");
}

TEST_CASE("A redirect never leads to another host") {
  // The application serves whatever follows the first '/', as if it were mounted there.
  const ServedFolder served;
  served.file("evil.example/index.html", "");
  for (const char* target : {"//evil.example", "///evil.example", "/%5cevil.example"}) {
    INFO(target);
    const HttpResponse answer = served.get(target);
    CHECK((answer.status == 404 || answer.status == 400));
    CHECK_FALSE(answer.has("Location"));
  }
}

TEST_CASE("What is no file to be served is not found") {
  const ServedFolder served;
  served.file("a.txt", "content");
  served.file("sub/page.html", "");
  served.file(".hidden", "hidden");
  served.file(".git/config", "hidden");
  REQUIRE(::mkfifo(served.path("fifo").c_str(), 0600) == 0);
  REQUIRE(::symlink("/etc/passwd", served.path("link").c_str()) == 0);
  for (const char* target : {"/missing", "/a.txt/", "/a.txt/b", "/sub/", "/", "/fifo", "/.hidden",
                             "/.git/config", "/.git/", "/sub//page.html", "//a.txt", "/link"}) {
    INFO(target);
    CHECK(served.get(target).status == 404);
  }
  CHECK(served.get('/' + std::string(5000, 'x')).status == 404);
}

TEST_CASE("A file that may not be read is forbidden") {
  if (::geteuid() == 0) {
    WARN("root may read everything: not shown here");
    return;
  }
  const ServedFolder served;
  served.file("a.txt", "content");
  REQUIRE(::chmod(served.path("a.txt").c_str(), 0) == 0);
  CHECK(served.get("/a.txt").status == 403);
}

TEST_CASE("A file that cannot be opened for want of a descriptor is no missing file") {
  const ServedFolder served;
  served.file("a.txt", "content");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit none = before;
  none.rlim_cur = 0;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const HttpResponse answer = served.get("/a.txt");
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(answer.status == 503);
  CHECK(answer.field("Retry-After") == "1");
  CHECK(served.get("/a.txt").status == 200);
}

TEST_CASE("HEAD is GET without the content, and a file has no other methods") {
  const ServedFolder served;
  served.file("a.txt", "content");
  const HttpResponse head = served.ask("HEAD", "/a.txt");
  CHECK(head.status == 200);
  CHECK(head.field("Content-Length") == "7");
  CHECK(head.body.empty());
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH"}) {
    const HttpResponse answer = served.ask(method, "/a.txt");
    CHECK(answer.status == 405);
    CHECK(answer.field("Allow") == "GET, HEAD, OPTIONS");
  }
  const HttpResponse options = served.ask("OPTIONS", "/a.txt");
  CHECK(options.status == 204);
  CHECK(options.field("Allow") == "GET, HEAD, OPTIONS");
}

TEST_CASE("A client that has a file already gets 304, with its tag and without its content") {
  const ServedFolder served;
  served.file("a.txt", "content");
  const std::string tag = served.get("/a.txt").field("ETag");
  const HttpResponse same = served.get("/a.txt", "If-None-Match: " + tag + "\r\n");
  CHECK(same.status == 304);
  CHECK(same.field("ETag") == tag);
  CHECK_FALSE(same.has("Content-Type"));
  CHECK_FALSE(same.has("Last-Modified"));
  const std::string since = "If-Modified-Since: " + std::string(time_of_files) + "\r\n";
  CHECK(served.get("/a.txt", since).status == 304);
  CHECK(served.get("/a.txt", "If-Match: \"other\"\r\n").status == 412);
  CHECK(served.get("/missing", "If-None-Match: *\r\n").status == 404);
  served.file("a.txt", "changed");
  served.age("a.txt", 784111778);
  CHECK(served.get("/a.txt", "If-None-Match: " + tag + "\r\n").status == 200);
  CHECK(served.get("/a.txt", since).body == "changed");
}

TEST_CASE("A file that was changed a moment ago has a weak tag") {
  const ServedFolder served;
  served.file("a.txt", "content");
  served.age("a.txt", std::time(nullptr));
  CHECK(served.get("/a.txt").field("ETag").starts_with("W/\""));
}

TEST_CASE("Files are served by either way of looking") {
  const ServedFolder served(Listing::off, RootFolder::Lookup::step_by_step);
  served.file("sub/index.html", "<p>sub");
  REQUIRE(::symlink("index.html", served.path("sub/link.html").c_str()) == 0);
  CHECK(served.get("/sub/").body == "<p>sub");
  CHECK(served.get("/sub").status == 301);
  CHECK(served.get("/sub/missing").status == 404);
  CHECK(served.get("/sub/link.html").status == 404);
}

TEST_CASE("A folder that is not there cannot be served") {
  CHECK_THROWS_AS(StaticFiles("/nowhere/at all"), std::system_error);
}

TEST_CASE("The type of a file is that of its ending, in any case") {
  CHECK(media_type("index.html") == "text/html; charset=utf-8");
  CHECK(media_type("a.tar.gz") == "application/gzip");
  CHECK(media_type("LOGO.SVG") == "image/svg+xml");
  CHECK(media_type("a.woff2") == "font/woff2");
  CHECK(media_type("app.webmanifest") == "application/manifest+json");
  CHECK(media_type("a.mjs") == "text/javascript; charset=utf-8");
  for (const char* name : {"Makefile", "a.", "a.unknown", "a.html~", "html", "a.averylongending"}) {
    INFO(name);
    CHECK(media_type(name) == "application/octet-stream");
  }
}

TEST_CASE("Images, sound and archives are compressed already") {
  using enum Compressibility;
  for (const char* name : {"a.html", "a.js", "a.json", "a.svg", "a.wasm", "a.ttf", "Makefile"}) {
    INFO(name);
    CHECK(compressibility(media_type(name)) == good);
  }
  for (const char* name : {"a.png", "a.mp4", "a.ogg", "a.woff2", "a.gz", "a.zip", "a.pdf"}) {
    INFO(name);
    CHECK(compressibility(media_type(name)) == none);
  }
}
