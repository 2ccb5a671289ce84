// RFC 9110, sections 12 and 14: parts of files, and files in several forms.
#include <string>
#include <vector>

#include "catch.h"
#include "conformance/file_server.h"

namespace stagecraft::conformance {

namespace {

using testing::HttpResponse;

std::string range(std::string_view value) {
  return std::string("Range: ").append(value).append("\r\n");
}

struct Part {
  const char* range;
  std::size_t first, last;
};

}  // namespace

TEST_CASE("One range gets exactly that part, and never a multipart",
          "[rfc9110-14][9110-14.2-3][9110-14.4-2][9110-15.3.7-2][9110-15.3.7-4]") {
  const FileServer files;
  for (const Part& part :
       {Part{"bytes=0-4", 0, 4}, Part{"bytes=0-0", 0, 0}, Part{"bytes=95-", 95, 99},
        Part{"bytes=-5", 95, 99}, Part{"bytes=10-1099", 10, 99}, Part{"bytes=-110", 0, 99},
        Part{"BYTES=0-4", 0, 4}, Part{"bytes=0-4,2-9", 0, 9}, Part{"bytes=,0-4,", 0, 4},
        Part{"bytes=0-4,900-", 0, 4}}) {
    INFO(part.range);
    const HttpResponse answer = files.get("/file.txt", range(part.range));
    CHECK(answer.status == 206);
    CHECK(answer.body == file_content().substr(part.first, part.last - part.first + 1));
    CHECK(answer.field("Content-Range") ==
          "bytes " + std::to_string(part.first) + '-' + std::to_string(part.last) + "/100");
    CHECK(answer.field("Content-Type") == "text/plain; charset=utf-8");
  }
}

TEST_CASE("Several ranges get a part each", "[rfc9110-14][9110-15.3.7-3]") {
  const FileServer files;
  const HttpResponse answer = files.get("/file.txt", range("bytes=90-,0-4"));
  CHECK(answer.status == 206);
  CHECK_FALSE(answer.has("Content-Range"));
  const std::string type = answer.field("Content-Type");
  const std::string before = "multipart/byteranges; boundary=";
  REQUIRE(type.starts_with(before));
  const std::string line = "\r\n--" + type.substr(before.size());
  const std::string head =
      line + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes ";
  CHECK(answer.body == head + "90-99/100\r\n\r\n" + file_content().substr(90) + head +
                           "0-4/100\r\n\r\n" + file_content().substr(0, 5) + line + "--\r\n");
  files.check(get("/file.txt", range("bytes=90-,0-4")), "206 keep");
}

TEST_CASE("A part carries what the whole would", "[rfc9110-14][9110-15.3.7-1]") {
  const FileServer files;
  files.write("file.txt.gz", "gzipped");
  const HttpResponse whole = files.get("/file.txt");
  for (const char* ranges : {"bytes=0-4", "bytes=0-4,10-14"}) {
    const HttpResponse part = files.get("/file.txt", range(ranges));
    CHECK(part.status == 206);
    CHECK(part.has("Date"));
    for (const char* name : {"ETag", "Last-Modified", "Vary"}) {
      CHECK(whole.has(name));
      CHECK(part.field(name) == whole.field(name));
    }
  }
}

TEST_CASE("What is not there is 416, with the length",
          "[rfc9110-14][9110-14.2-3][9110-14.4-2][9110-15.5.17-1]") {
  const FileServer files;
  for (const char* value : {"bytes=100-", "bytes=-0", "bytes=500-600", "bytes=100-,200-"}) {
    INFO(value);
    const HttpResponse answer = files.get("/file.txt", range(value));
    CHECK(answer.status == 416);
    CHECK(answer.field("Content-Range") == "bytes */100");
  }
  files.check(get("/file.txt", range("bytes=100-")), "416 keep");
}

TEST_CASE("Numbers of any length are read without overflow", "[rfc9110-14][9110-14.1.2-1]") {
  const FileServer files;
  const auto status = [&files](std::string_view value) {
    return files.get("/file.txt", range(value)).status;
  };
  CHECK(status("bytes=0-99999999999999999999999") == 206);
  CHECK(status("bytes=0-18446744073709551616") == 206);
  CHECK(status("bytes=18446744073709551616-") == 416);
  CHECK(status("bytes=18446744073709551616-18446744073709551617") == 416);
  CHECK(status("bytes=-18446744073709551621") == 206);
  CHECK(files.get("/file.txt", range("bytes=-18446744073709551621")).body == file_content());
}

TEST_CASE("A range that is not understood is ignored", "[rfc9110-14][9110-14.2-2]") {
  const FileServer files;
  for (const char* value : {"lines=0-4", "bytes=a-b", "bytes=5-2", "bytes", "bytes=", "bytes=-",
                            "bytes=0-4;5", "bytes=0-4,x", "bytes 0-4", "0-4"}) {
    INFO(value);
    const HttpResponse answer = files.get("/file.txt", range(value));
    CHECK(answer.status == 200);
    CHECK(answer.body == file_content());
  }
}

TEST_CASE("Ranges are for GET alone", "[rfc9110-14][9110-14.2-1]") {
  const FileServer files;
  const HttpResponse answer = files.ask("HEAD", "/file.txt", range("bytes=0-4"));
  CHECK(answer.status == 200);
  CHECK(answer.field("Content-Length") == "100");
}

TEST_CASE("However many ranges are asked for, no byte is sent twice",
          "[rfc9110-14][9110-17.15-1]") {
  const FileServer files;
  std::string same = "bytes=0-";
  for (int i = 1; i < 500; ++i) same += ",0-";
  CHECK(files.get("/file.txt", range(same)).body == file_content());
  std::string small = "bytes=0-0";
  for (int i = 1; i < 50; ++i) small += ',' + std::to_string(2 * i) + '-' + std::to_string(2 * i);
  CHECK(files.get("/file.txt", range(small)).body == file_content());
  const HttpResponse overlapping = files.get("/file.txt", range("bytes=0-59,20-79,40-99,0-"));
  CHECK(overlapping.status == 206);
  CHECK(overlapping.body == file_content());
}

TEST_CASE("A PUT of a part is refused", "[rfc9110-14][9110-14.5-1]") {
  check(request("PUT", "/", "Content-Range: bytes 0-4/10\r\nContent-Length: 5\r\n") + "hello",
        "400 keep");
}

TEST_CASE("A coding that was applied is named, and that the answer depends on it",
          "[rfc9110-14][9110-8.4-1][9110-12.5.5-1]") {
  const FileServer files;
  files.write("file.txt.gz", "gzipped");
  const HttpResponse packed = files.get("/file.txt", "Accept-Encoding: gzip\r\n");
  CHECK(packed.field("Content-Encoding") == "gzip");
  CHECK(packed.field("Content-Type") == "text/plain; charset=utf-8");
  CHECK(packed.body == "gzipped");
  const HttpResponse plain = files.get("/file.txt");
  CHECK_FALSE(plain.has("Content-Encoding"));
  CHECK(plain.body == file_content());
  CHECK(plain.field("ETag") != packed.field("ETag"));
  for (const HttpResponse& answer : {packed, plain}) {
    CHECK(answer.field("Vary") == "Accept-Encoding");
  }
}

TEST_CASE("No acceptable coding: the file as it is, unless that is refused as well",
          "[rfc9110-14][9110-12.5.3-1]") {
  const FileServer files;
  files.write("file.txt.br", "brotli");
  for (const char* codings : {"gzip", "", "br;q=0", "identity, br;q=0.5"}) {
    const HttpResponse answer =
        files.get("/file.txt", std::string("Accept-Encoding: ") + codings + "\r\n");
    CHECK(answer.status == 200);
    CHECK_FALSE(answer.has("Content-Encoding"));
  }
  files.check(get("/file.txt", "Accept-Encoding: identity;q=0, gzip\r\n"), "406 keep");
  files.check(get("/file.txt", "Accept-Encoding: *;q=0\r\n"), "406 keep");
}

TEST_CASE("A folder without its slash is told where it is", "[rfc9110-14][9110-15.4-1]") {
  const FileServer files;
  files.write("sub/index.html", "<p>sub");
  const HttpResponse answer = files.get("/sub?a=b");
  CHECK(answer.status == 301);
  CHECK(answer.field("Location") == "/sub/?a=b");
  CHECK(files.get("/sub/").body == "<p>sub");
}

}  // namespace stagecraft::conformance
