// Files that lie beside their compressed forms, and folders as lists.
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "catch.h"
#include "unit/web/served_folder.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

std::string accept(std::string_view codings) {
  return std::string("Accept-Encoding: ").append(codings).append("\r\n");
}

class Variants {
 public:
  Variants() {
    served.file("a.css", "plain");
    served.file("a.css.gz", "gzipped");
    served.file("a.css.br", "brotli");
  }
  // Which form a client gets who accepts these.
  std::string form(std::string_view codings) const {
    const HttpResponse answer = served.get("/a.css", accept(codings));
    CHECK(answer.list("Vary").at(0) == "Accept-Encoding");
    if (answer.status == 406) return "406";
    CHECK(answer.field("Content-Type") == "text/css; charset=utf-8");
    const std::string coding = answer.field("Content-Encoding");
    CHECK(coding == (answer.body == "plain" ? "" : answer.body == "gzipped" ? "gzip" : "br"));
    return answer.body;
  }
  ServedFolder served;
};

}  // namespace

TEST_CASE("A client gets the form that it prefers") {
  const Variants file;
  CHECK(file.form("gzip") == "gzipped");
  CHECK(file.form("br") == "brotli");
  CHECK(file.form("gzip, deflate, br") == "brotli");
  CHECK(file.form("br;q=0.5, gzip") == "gzipped");
  CHECK(file.form("*") == "brotli");
  CHECK(file.form("br;q=0, *") == "gzipped");
  CHECK(file.form("identity, gzip;q=0.5") == "plain");
  CHECK(file.form("deflate") == "plain");
  CHECK(file.form("") == "plain");
  CHECK(file.form("gzip;q=0, br;q=0") == "plain");
  CHECK(file.form("identity;q=0, gzip") == "gzipped");
  CHECK(file.form("identity;q=0") == "406");
  CHECK(file.form("*;q=0") == "406");
}

TEST_CASE("A client that says nothing gets the file as it is") {
  const Variants file;
  const HttpResponse answer = file.served.get("/a.css");
  CHECK(answer.body == "plain");
  CHECK(answer.field("Vary") == "Accept-Encoding");
}

TEST_CASE("Each form has a tag of its own, and ranges of its own") {
  const Variants file;
  const std::string plain = file.served.get("/a.css").field("ETag");
  const std::string gzipped = file.served.get("/a.css", accept("gzip")).field("ETag");
  CHECK(plain != gzipped);
  const std::string known = "If-None-Match: " + plain + "\r\n";
  CHECK(file.served.get("/a.css", known).status == 304);
  CHECK(file.served.get("/a.css", known).field("Vary") == "Accept-Encoding");
  CHECK(file.served.get("/a.css", known + accept("gzip")).status == 200);
  const HttpResponse part = file.served.get("/a.css", accept("gzip") + "Range: bytes=0-3\r\n");
  CHECK(part.status == 206);
  CHECK(part.body == "gzip");
  CHECK(part.field("Content-Encoding") == "gzip");
  CHECK(part.field("Content-Range") == "bytes 0-3/7");
}

TEST_CASE("A compressed form that is older than the file is not served") {
  const Variants file;
  file.served.age("a.css", 784111778);
  const HttpResponse answer = file.served.get("/a.css", accept("gzip, br"));
  CHECK(answer.body == "plain");
  CHECK_FALSE(answer.has("Vary"));
  file.served.age("a.css.gz", 784111779);
  CHECK(file.form("gzip, br") == "gzipped");
}

TEST_CASE("A compressed form alone is a file of its own, and no form of a missing one") {
  const ServedFolder served;
  served.file("a.css.gz", "gzipped");
  CHECK(served.get("/a.css", accept("gzip")).status == 404);
  const HttpResponse answer = served.get("/a.css.gz", accept("gzip"));
  CHECK(answer.field("Content-Type") == "application/gzip");
  CHECK_FALSE(answer.has("Content-Encoding"));
}

TEST_CASE("No compressed form leads out of the folder, or is looked for beside an image") {
  const ServedFolder served;
  served.file("a.css", "plain");
  served.file("a.png", "image");
  served.file("a.png.gz", "gzipped");
  REQUIRE(::symlink("/etc/passwd", served.path("a.css.gz").c_str()) == 0);
  REQUIRE(::mkfifo(served.path("a.css.br").c_str(), 0600) == 0);
  CHECK(served.get("/a.css", accept("gzip, br")).body == "plain");
  CHECK(served.get("/a.png", accept("gzip")).body == "image");
}

TEST_CASE("An index has compressed forms, too") {
  const ServedFolder served;
  served.file("index.html", "plain");
  served.file("index.html.gz", "gzipped");
  CHECK(served.get("/", accept("gzip")).body == "gzipped");
}

TEST_CASE("A folder is shown as a list if that is wanted, and has no index") {
  const ServedFolder served(Listing::on);
  served.file("z.txt", "12345");
  served.file("a & <b>.txt", "");
  served.file("c:d", "");
  served.file("\xc3\xa4'\".txt", "");
  served.file("sub/index.html", "<p>sub");
  served.file("other/x", "");
  served.file(".hidden", "");
  served.file(".well-known/x", "");
  served.file("back\\slash", "");
  REQUIRE(::symlink("/etc/passwd", served.path("link").c_str()) == 0);
  REQUIRE(::mkfifo(served.path("fifo").c_str(), 0600) == 0);
  const HttpResponse answer = served.get("/");
  CHECK(answer.status == 200);
  CHECK(answer.field("Content-Type") == "text/html; charset=utf-8");
  CHECK(answer.field("X-Content-Type-Options") == "nosniff");
  CHECK(answer.field("Content-Security-Policy").starts_with("default-src 'none'"));
  const std::string& page = answer.body;
  const auto has = [&page](std::string_view text) { return page.find(text) != std::string::npos; };
  CHECK(has("<a href=\"./z.txt\">z.txt</a><td>5<td>1994-11-06 08:49"));
  CHECK(has("<a href=\"./a%20%26%20%3cb%3e.txt\">a &amp; &lt;b&gt;.txt</a>"));
  CHECK(has("<a href=\"./c:d\">c:d</a>"));
  CHECK(has("<a href=\"./%c3%a4%27%22.txt\">\xc3\xa4&#39;&quot;.txt</a>"));
  CHECK(has("<a href=\"./other/\">other/</a>"));
  CHECK(page.find("./sub/") < page.find("./a%20"));
  CHECK(page.find("./other/") < page.find("./sub/"));
  for (const char* text : {"hidden", "well-known", "link", "fifo", "slash", "../"}) {
    INFO(text);
    CHECK_FALSE(has(text));
  }
  CHECK(served.get("/sub/").body == "<p>sub");
  CHECK(served.get("/other/").body.find("<a href=\"../\">") != std::string::npos);
  CHECK(served.get("/other").status == 301);
  CHECK(served.ask("HEAD", "/").body.empty());
}

TEST_CASE("What a list links to can be had") {
  const ServedFolder served(Listing::on);
  for (const char* name : {"a & <b>.txt", "c:d", "\xc3\xa4'\".txt", "100%.txt", "a?b#c", "a;b=c"}) {
    served.file(name, "found");
  }
  std::string_view page;
  const std::string body = served.get("/").body;
  page = body;
  int links = 0;
  constexpr std::string_view before = "<a href=\".";
  for (std::size_t at = page.find(before); at != std::string_view::npos; at = page.find(before)) {
    page.remove_prefix(at + before.size());
    const std::string target(page.substr(0, page.find('"')));
    INFO(target);
    CHECK(served.get(target).body == "found");
    ++links;
  }
  CHECK(links == 6);
}
