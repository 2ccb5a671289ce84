// Files of a folder, and none outside it.
#include "web/static_files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <system_error>
#include <vector>

#include "app/route_table.h"
#include "catch.h"
#include "unit/app/asking.h"
#include "unit/base/unit_fixtures.h"
#include "web/media_type.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

// A folder with files, and a neighbour that must stay unseen.
class Served {
 public:
  Served() {
    outside_.file("secret.txt", "secret");
    root_.file("a.txt", "content");
    root_.file("empty.css", "");
    root_.file("index.html", "<p>index");
    root_.file(".hidden", "hidden");
    REQUIRE(::mkdir(root_.path("sub").c_str(), 0700) == 0);
    root_.file("sub/page.HTML", "<p>page");
    REQUIRE(::mkdir(root_.path(".git").c_str(), 0700) == 0);
    root_.file(".git/config", "hidden");
    REQUIRE(::symlink(outside_.path("secret.txt").c_str(), root_.path("link").c_str()) == 0);
    REQUIRE(::symlink("a.txt", root_.path("inner-link").c_str()) == 0);
    REQUIRE(::symlink(outside_.path("").c_str(), root_.path("folder-link").c_str()) == 0);
    REQUIRE(::mkfifo(root_.path("fifo").c_str(), 0600) == 0);
    files_ = std::make_unique<StaticFiles>(root_.path(""));
    table_.add("/...", {Method::get}, {[this](const Request& request, Response& response) {
                 files_->answer(request.path().substr(1), response);
               }});
  }

  HttpResponse get(std::string_view path) const {
    return ask(table_.application(), "GET " + std::string(path));
  }
  Status status_of(std::string_view path) const {
    Response response;
    files_->answer(path, response);
    return response.status();
  }
  const TemporaryFolder& root() const { return root_; }

 private:
  TemporaryFolder root_, outside_;
  std::unique_ptr<StaticFiles> files_;
  RouteTable table_;
};

}  // namespace

TEST_CASE("A file is served with its type, its length and the time of its last change") {
  const Served served;
  const timespec times[2] = {{784111777, 0}, {784111777, 5}};
  REQUIRE(::utimensat(AT_FDCWD, served.root().path("a.txt").c_str(), times, 0) == 0);
  const HttpResponse answer = served.get("/a.txt");
  CHECK(answer.status == 200);
  CHECK(answer.body == "content");
  CHECK(answer.field("Content-Type") == "text/plain; charset=utf-8");
  CHECK(answer.field("Content-Length") == "7");
  CHECK(answer.field("Last-Modified") == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(answer.field("X-Content-Type-Options") == "nosniff");
}

TEST_CASE("An empty file, an index and a file further down are served") {
  const Served served;
  CHECK(served.get("/empty.css").field("Content-Length") == "0");
  CHECK(served.get("/").body == "<p>index");
  CHECK(served.get("/sub/page.HTML").field("Content-Type") == "text/html; charset=utf-8");
}

TEST_CASE("What is no file to be served is not found") {
  const Served served;
  for (const char* path :
       {"missing", "a.txt/", "a.txt/b", "sub", "sub/", "fifo", ".hidden", ".git/config", "..", ".",
        "../secret.txt", "sub/../a.txt", "sub//page.HTML", "/a.txt", "/etc/passwd", "link",
        "inner-link", "folder-link/secret.txt"}) {
    INFO(path);
    CHECK(served.status_of(path) == Status::not_found);
  }
  CHECK(served.status_of(std::string(5000, 'x')) == Status::not_found);
}

TEST_CASE("A file that may not be read is forbidden") {
  if (::geteuid() == 0) {
    WARN("root may read everything: not shown here");
    return;
  }
  const Served served;
  REQUIRE(::chmod(served.root().path("a.txt").c_str(), 0) == 0);
  CHECK(served.status_of("a.txt") == Status::forbidden);
}

TEST_CASE("A file that cannot be opened for want of a descriptor is no missing file") {
  const Served served;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit none = before;
  none.rlim_cur = 0;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const Status status = served.status_of("a.txt");
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(status == Status::service_unavailable);
  CHECK(served.status_of("a.txt") == Status::ok);
}

TEST_CASE("A folder that is not there cannot be served") {
  CHECK_THROWS_AS(StaticFiles("/nowhere/at all"), std::system_error);
}

TEST_CASE("The type of a file is that of its ending, in any case") {
  CHECK(media_type("index.html") == "text/html; charset=utf-8");
  CHECK(media_type("a.tar.gz") == "application/gzip");
  CHECK(media_type("LOGO.SVG") == "image/svg+xml");
  CHECK(media_type("a.woff2") == "font/woff2");
  for (const char* name : {"Makefile", "a.", "a.unknown", "a.html~", "html", "a.averylongending"}) {
    INFO(name);
    CHECK(media_type(name) == "application/octet-stream");
  }
}
