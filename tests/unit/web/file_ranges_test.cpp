// Parts of files.
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "catch.h"
#include "unit/web/served_folder.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

std::string range(std::string_view value) {
  return std::string("Range: ").append(value).append("\r\n");
}

class Ranges {
 public:
  Ranges() {
    for (int i = 0; i < 100; ++i) content += static_cast<char>('a' + i % 26);
    served.file("a.txt", content);
  }
  HttpResponse get(const std::string& fields) const { return served.get("/a.txt", fields); }

  ServedFolder served;
  std::string content;
};

}  // namespace

TEST_CASE("One range is answered with exactly that part") {
  const Ranges file;
  const HttpResponse answer = file.get(range("bytes=10-19"));
  CHECK(answer.status == 206);
  CHECK(answer.body == file.content.substr(10, 10));
  CHECK(answer.field("Content-Range") == "bytes 10-19/100");
  CHECK(answer.field("Content-Type") == "text/plain; charset=utf-8");
  CHECK(answer.has("ETag"));
  CHECK(answer.has("Last-Modified"));
  CHECK(file.get(range("bytes=-1")).body == file.content.substr(99));
  CHECK(file.get(range("bytes=0-")).status == 206);
}

TEST_CASE("Several ranges are answered with a part each") {
  const Ranges file;
  const HttpResponse answer = file.get(range("bytes=90-, 0-4"));
  CHECK(answer.status == 206);
  CHECK_FALSE(answer.has("Content-Range"));
  const std::string type = answer.field("Content-Type");
  constexpr std::string_view before = "multipart/byteranges; boundary=";
  REQUIRE(type.starts_with(before));
  const std::string boundary = type.substr(before.size());
  CHECK(boundary.size() == 32);
  const std::string part = "\r\n--" + boundary +
                           "\r\nContent-Type: text/plain; charset=utf-8\r\n"
                           "Content-Range: bytes ";
  CHECK(answer.body == part + "90-99/100\r\n\r\n" + file.content.substr(90) + part +
                           "0-4/100\r\n\r\n" + file.content.substr(0, 5) + "\r\n--" + boundary +
                           "--\r\n");
  CHECK(file.get(range("bytes=0-1,4-5")).field("Content-Type") != type);  // another boundary
}

TEST_CASE("Parts of a large file come whole") {
  const ServedFolder served;
  std::string content;
  for (int i = 0; i < 50'000; ++i) content += std::to_string(i) + '\n';
  served.file("a.bin", content);
  const HttpResponse answer = served.get("/a.bin", range("bytes=1000-99999,150000-249999"));
  CHECK(answer.status == 206);
  CHECK(answer.body.find(content.substr(1000, 99000)) != std::string::npos);
  CHECK(answer.body.find(content.substr(150000, 100000)) != std::string::npos);
}

TEST_CASE("Ranges that become one, and one of several that is there, are no multipart") {
  const Ranges file;
  for (const char* value : {"bytes=0-9,5-14", "bytes=0-4,5-14", "bytes=0-14,500-"}) {
    const HttpResponse answer = file.get(range(value));
    CHECK(answer.status == 206);
    CHECK(answer.field("Content-Range") == "bytes 0-14/100");
    CHECK(answer.body == file.content.substr(0, 15));
  }
}

TEST_CASE("What is not there is 416 with the length, and what is not understood is all of it") {
  const Ranges file;
  const HttpResponse answer = file.get(range("bytes=100-"));
  CHECK(answer.status == 416);
  CHECK(answer.field("Content-Range") == "bytes */100");
  CHECK_FALSE(answer.has("ETag"));
  CHECK(answer.has("Content-Type"));
  for (const char* value : {"lines=0-4", "bytes=5-2", "bytes=x", "bytes"}) {
    CHECK(file.get(range(value)).status == 200);
    CHECK(file.get(range(value)).body == file.content);
  }
  CHECK(file.get(range("bytes=0-4") + range("bytes=0-4")).status == 200);
}

TEST_CASE("Many ranges cost no more than the file") {
  const Ranges file;
  std::string many = "bytes=0-";
  for (int i = 0; i < 500; ++i) many += ",0-";
  CHECK(file.get(range(many)).body == file.content);
}

TEST_CASE("Of an empty file there are no parts") {
  const ServedFolder served;
  served.file("empty.txt", "");
  CHECK(served.get("/empty.txt", range("bytes=0-")).status == 200);
  CHECK(served.get("/empty.txt", range("bytes=-5")).status == 200);
}

TEST_CASE("Only GET has ranges") {
  const Ranges file;
  const HttpResponse answer = file.served.ask("HEAD", "/a.txt", range("bytes=0-4"));
  CHECK(answer.status == 200);
  CHECK(answer.field("Content-Length") == "100");
}

TEST_CASE("A range counts only if If-Range names what there is, and after the other conditions") {
  const Ranges file;
  const std::string tag = file.get("").field("ETag");
  const std::string part = range("bytes=0-4");
  CHECK(file.get(part + "If-Range: " + tag + "\r\n").status == 206);
  CHECK(file.get(part + "If-Range: \"other\"\r\n").body == file.content);
  CHECK(file.get(part + "If-Range: W/" + tag + "\r\n").status == 200);
  CHECK(file.get(part + "If-Range: " + std::string(time_of_files) + "\r\n").status == 206);
  CHECK(file.get(part + "If-Range: Sun, 06 Nov 1994 08:49:38 GMT\r\n").status == 200);
  CHECK(file.get("If-Range: " + tag + "\r\n").status == 200);
  CHECK(file.get(range("bytes=500-") + "If-Range: \"other\"\r\n").status == 200);
  CHECK(file.get(part + "If-None-Match: " + tag + "\r\n").status == 304);
  CHECK(file.get(part + "If-Match: \"other\"\r\n").status == 412);
}
