// RFC 9110, sections 8 and 13: validators of files, and requests that depend on them.
#include <ctime>
#include <string>

#include "catch.h"
#include "conformance/file_server.h"
#include "conformance/lint.h"

namespace stagecraft::conformance {

namespace {

using testing::HttpResponse;

constexpr std::string_view changed = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr std::string_view before = "Sun, 06 Nov 1994 08:49:36 GMT";
constexpr std::string_view in_2038 = "Fri, 01 Jan 2038 00:00:00 GMT";

std::string field(std::string_view name, std::string_view value) {
  return std::string(name).append(": ").append(value).append("\r\n");
}

std::time_t seconds_of(const std::string& date) {
  std::tm parts{};
  REQUIRE(::strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts) != nullptr);
  return ::timegm(&parts);
}

// The content has come whole.
void check_whole(const HttpResponse& answer) {
  CHECK(answer.status == 200);
  CHECK(answer.body == file_content());
}

}  // namespace

TEST_CASE("A file has a strong tag and the time of its last change",
          "[rfc9110-13][9110-8.8.2-1][9110-8.8.3-2][9110-15.3.1-1]") {
  const FileServer files;
  for (const char* method : {"GET", "HEAD"}) {
    const HttpResponse answer = files.ask(method, "/file.txt");
    CHECK(answer.status == 200);
    CHECK(answer.field("Last-Modified") == changed);
    CHECK(answer.field("ETag").starts_with('"'));
    CHECK(answer.field("ETag").ends_with('"'));
    CHECK(answer.field("Content-Length") == "100");
  }
}

TEST_CASE("A time in the future is not told", "[rfc9110-13][9110-8.8.2-2]") {
  const FileServer files;
  files.write("future.txt", "x", std::time(nullptr) + 100'000);
  const HttpResponse answer = files.get("/future.txt");
  const std::time_t date = seconds_of(answer.field("Date"));
  const std::time_t told = seconds_of(answer.field("Last-Modified"));
  CHECK(told <= date);
  CHECK(told >= date - 2);
}

TEST_CASE("A tag that may not tell two states apart is marked as weak",
          "[rfc9110-13][9110-8.8.3-1]") {
  const FileServer files;
  // Changed in this second: another change in it could go unseen. Again if it is over meanwhile.
  std::time_t now = 0;
  std::string tag;
  do {
    now = std::time(nullptr);
    files.write("young.txt", "x", now);
    tag = files.get("/young.txt").field("ETag");
  } while (std::time(nullptr) != now);
  CHECK(tag.starts_with("W/\""));
}

TEST_CASE("A file that is changed gets another tag", "[rfc9110-13][9110-8.8.3-2]") {
  const FileServer files;
  const std::string tag = files.get("/file.txt").field("ETag");
  files.write("file.txt", file_content(), FileServer::of_files + 1);
  CHECK(files.get("/file.txt").field("ETag") != tag);
}

TEST_CASE("If-Match compares strongly, and a file that is not the same is not sent",
          "[rfc9110-13][9110-13.1.1-1]") {
  const FileServer files;
  const std::string tag = files.get("/file.txt").field("ETag");
  check_whole(files.get("/file.txt", field("If-Match", tag)));
  check_whole(files.get("/file.txt", field("If-Match", "\"a\", " + tag)));
  check_whole(files.get("/file.txt", field("If-Match", "*")));
  for (const std::string& value : {std::string("\"nope\""), "W/" + tag, std::string("nope")}) {
    files.check(get("/file.txt", field("If-Match", value)), "412 keep");
    files.check(request("HEAD", "/file.txt", field("If-Match", value)), "412 keep");
  }
}

TEST_CASE("Where there are no tags, none matches", "[rfc9110-13][9110-13.1.1-1]") {
  check(get("/", field("If-Match", "\"x\"")), "412 keep");
  check(get("/", field("If-Match", "*")), "200 keep");
  // The request is not performed: nothing comes back of its body.
  const Answers refused = require(post("hello", field("If-Match", "\"x\"")), "412 keep");
  CHECK(refused.last().body.find("hello") == std::string::npos);
}

TEST_CASE("If-None-Match compares weakly, and what the client has is not sent again",
          "[rfc9110-13][9110-13.1.2-1][9110-15.4.5-1]") {
  const FileServer files;
  const std::string tag = files.get("/file.txt").field("ETag");
  for (const std::string& value :
       {tag, "W/" + tag, "\"a\", " + tag + ", \"b\"", ", ," + tag + ",", std::string("*")}) {
    INFO(value);
    const HttpResponse answer = files.get("/file.txt", field("If-None-Match", value));
    CHECK(answer.status == 304);
    CHECK(answer.field("ETag") == tag);
    CHECK(answer.has("Date"));
    files.check(request("HEAD", "/file.txt", field("If-None-Match", value)), "304 keep");
  }
  check_whole(files.get("/file.txt", field("If-None-Match", "\"nope\"")));
  // Other methods than GET and HEAD are told 412.
  check(post("hello", field("If-None-Match", "*")), "412 keep");
}

TEST_CASE("A 304 names what its answer depends on", "[rfc9110-13][9110-15.4.5-1]") {
  const FileServer files;
  files.write("file.txt.gz", "gzipped");
  const std::string tag = files.get("/file.txt").field("ETag");
  const HttpResponse answer = files.get("/file.txt", field("If-None-Match", tag));
  CHECK(answer.status == 304);
  CHECK(answer.field("Vary") == "Accept-Encoding");
}

TEST_CASE("If-Modified-Since is told 304 from the file's own time on",
          "[rfc9110-13][9110-13.1.3-4]") {
  const FileServer files;
  for (const std::string_view date : {changed, in_2038}) {
    const HttpResponse answer = files.get("/file.txt", field("If-Modified-Since", date));
    CHECK(answer.status == 304);
    CHECK(answer.has("ETag"));
  }
  check_whole(files.get("/file.txt", field("If-Modified-Since", before)));
}

TEST_CASE("A date is understood in each of its three forms", "[rfc9110-13][9110-5.6.7-1]") {
  const FileServer files;
  for (const char* date : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov  6 08:49:37 1994"}) {
    CHECK(files.get("/file.txt", field("If-Modified-Since", date)).status == 304);
  }
  for (const char* date : {"Sun, 06 Nov 1994 08:49:36 GMT", "Sunday, 06-Nov-94 08:49:36 GMT",
                           "Sun Nov  6 08:49:36 1994"}) {
    check_whole(files.get("/file.txt", field("If-Modified-Since", date)));
  }
}

TEST_CASE("Two digits of a year never mean more than 50 years ahead",
          "[rfc9110-13][9110-5.6.7-3]") {
  const FileServer files;
  std::tm now{};
  const std::time_t seconds = std::time(nullptr);
  gmtime_r(&seconds, &now);
  const auto two_digits = [&now](int years_ahead) {
    const int year = (now.tm_year + years_ahead) % 100;
    return std::to_string(year / 10) + std::to_string(year % 10);
  };
  const auto status = [&](int years_ahead) {
    const std::string date = "Monday, 01-Jan-" + two_digits(years_ahead) + " 00:00:00 GMT";
    return files.get("/old.txt", field("If-Modified-Since", date)).status;
  };
  files.write("old.txt", "x", 100'000'000);  // in 1973
  CHECK(status(49) == 304);
  // 52 years ahead is 48 years ago: after the file's time as long as this runs before 2074.
  files.write("old.txt", "x", seconds - 3600);
  CHECK(status(52) == 200);
}

TEST_CASE("If-Modified-Since is ignored beside If-None-Match, and when it says nothing",
          "[rfc9110-13][9110-13.1.3-1][9110-13.1.3-2]") {
  const FileServer files;
  check_whole(files.get("/file.txt",
                        field("If-None-Match", "\"nope\"") + field("If-Modified-Since", in_2038)));
  check_whole(files.get("/file.txt", field("If-Modified-Since", "not a date")));
  check_whole(files.get("/file.txt", field("If-Modified-Since", "")));
  check_whole(files.get("/file.txt",
                        field("If-Modified-Since", changed) + field("If-Modified-Since", changed)));
  check(post("hello", field("If-Modified-Since", in_2038)), "200 keep");
}

TEST_CASE("If-Unmodified-Since is told 412 when the file was changed later",
          "[rfc9110-13][9110-13.1.4-2]") {
  const FileServer files;
  check_whole(files.get("/file.txt", field("If-Unmodified-Since", changed)));
  check_whole(files.get("/file.txt", field("If-Unmodified-Since", in_2038)));
  files.check(get("/file.txt", field("If-Unmodified-Since", before)), "412 keep");
}

TEST_CASE("If-Unmodified-Since is ignored beside If-Match, and when it says nothing",
          "[rfc9110-13][9110-13.1.4-1]") {
  const FileServer files;
  check_whole(
      files.get("/file.txt", field("If-Match", "*") + field("If-Unmodified-Since", before)));
  check_whole(files.get("/file.txt", field("If-Unmodified-Since", "not a date")));
  check(get("/", field("If-Unmodified-Since", before)), "200 keep");
}

TEST_CASE("Preconditions are evaluated in their order", "[rfc9110-13][9110-13.2.2-1]") {
  const FileServer files;
  const std::string tag = files.get("/file.txt").field("ETag");
  const std::string range = "Range: bytes=0-4\r\n";
  const auto status = [&files](const std::string& fields) {
    return files.get("/file.txt", fields).status;
  };
  CHECK(status(field("If-Match", tag) + field("If-None-Match", tag)) == 304);
  CHECK(status(field("If-Match", "\"nope\"") + field("If-None-Match", tag)) == 412);
  CHECK(status(field("If-Unmodified-Since", before) + field("If-None-Match", tag)) == 412);
  CHECK(status(field("If-Unmodified-Since", changed) + field("If-Modified-Since", changed)) == 304);
  CHECK(status(range + field("If-None-Match", tag)) == 304);
  CHECK(status(range + field("If-Match", "\"nope\"")) == 412);
  CHECK(status(range + field("If-Match", tag) + field("If-None-Match", "\"nope\"") +
               field("If-Range", tag)) == 206);
  CHECK(status(range + field("If-Match", tag) + field("If-Range", "\"nope\"")) == 200);
  CHECK(status("Range: bytes=500-\r\n" + field("If-None-Match", tag)) == 304);
}

TEST_CASE("Preconditions come after the checks that a request meets anyway",
          "[rfc9110-13][9110-13.2.1-1][9110-13.2.1-3]") {
  const FileServer files;
  files.check(get("/nope", field("If-None-Match", "*")), "404 keep");
  files.check(get("/nope", field("If-Match", "\"x\"")), "404 keep");
  files.check(request("DELETE", "/file.txt", field("If-Match", "\"x\"")), "405 keep");
  // And before the content of a request does anything.
  check(request("PUT", "/", field("If-Match", "\"x\"") + "Content-Length: 5\r\n") + "hello",
        "412 keep");
}

TEST_CASE("If-Range needs a strong validator that names what there is",
          "[rfc9110-13][9110-13.1.5-2]") {
  const FileServer files;
  const std::string tag = files.get("/file.txt").field("ETag");
  const std::string range = "Range: bytes=0-4\r\n";
  CHECK(files.get("/file.txt", range + field("If-Range", tag)).status == 206);
  CHECK(files.get("/file.txt", range + field("If-Range", changed)).status == 206);
  for (const std::string& value : {std::string("\"nope\""), "W/" + tag, std::string(before),
                                   std::string(in_2038), std::string("nope")}) {
    check_whole(files.get("/file.txt", range + field("If-Range", value)));
  }
  check_whole(files.get("/file.txt", field("If-Range", tag)));
}

}  // namespace stagecraft::conformance
