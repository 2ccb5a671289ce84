// Forms of parts, however their bytes arrive.
#include "web/multipart_parser.h"

#include <string>
#include <vector>

#include "catch.h"
#include "unit/web/random_text.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

// What has been told, as text: `[name|filename|type]content`.
class Told : public PartReceiver {
 public:
  Refusal begin_part(PartHead head) override {
    CHECK(ended_);
    ended_ = false;
    text += '[' + head.name;
    if (head.filename) text += '|' + *head.filename + '|' + head.type;
    text += ']';
    return {};
  }
  Refusal part_data(std::string_view piece) override {
    CHECK_FALSE(ended_);
    CHECK_FALSE(piece.empty());
    text += piece;
    return {};
  }
  Refusal end_part() override {
    CHECK_FALSE(ended_);
    ended_ = true;
    return {};
  }
  std::string text;

 private:
  bool ended_ = true;
};

struct Outcome {
  std::string text;
  Status status = Status::none;
  std::string reason;
  bool operator==(const Outcome&) const = default;
};

Outcome parse(const std::vector<std::string_view>& pieces, std::string_view boundary = "b",
              const MultipartLimits& limits = {}) {
  Told told;
  MultipartParser parser(boundary, limits, told);
  for (const std::string_view piece : pieces) {
    if (const Refusal refusal = parser.write(piece)) {
      return {told.text, refusal.status, std::string(refusal.reason)};
    }
  }
  const Refusal refusal = parser.finish();
  return {told.text, refusal.status, std::string(refusal.reason)};
}

// The outcome of all ways to cut the body in two, and of byte after byte, which must be the same.
// What was told before a refusal depends on how far the parser had come.
Outcome parse_split(const std::string& body, std::string_view boundary = "b",
                    const MultipartLimits& limits = {}) {
  const std::string_view whole = body;
  Outcome expected = parse({whole}, boundary, limits);
  const auto same = [&](Outcome outcome) {
    if (expected.status != Status::none) outcome.text = expected.text;
    return outcome == expected;
  };
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    INFO("cut at " << cut);
    REQUIRE(same(parse({whole.substr(0, cut), whole.substr(cut)}, boundary, limits)));
  }
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < whole.size(); ++i) bytes.push_back(whole.substr(i, 1));
  REQUIRE(same(parse(bytes, boundary, limits)));
  return expected;
}

std::string text_of(const std::string& body, std::string_view boundary = "b") {
  const Outcome outcome = parse_split(body, boundary);
  INFO(outcome.reason);
  CHECK(outcome.status == Status::none);
  return outcome.text;
}

std::string field(const std::string& disposition, const std::string& content) {
  return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n";
}

const std::string a_part = field("name=a", "x");

}  // namespace

TEST_CASE("Fields and files come in order") {
  CHECK(text_of(field("name=a", "one") +
                "--b\r\ncontent-type: image/png\r\nCONTENT-DISPOSITION:form-data;name=\"f\";"
                "filename=\"p.png\"\r\nX-Other: y\r\n\r\n\x89PNG\r\n\r\n\x1a\r\n" +
                field("name=a", "two") + "--b--\r\n") ==
        "[a]one[f|p.png|image/png]\x89PNG\r\n\r\n\x1a[a]two");
}

TEST_CASE("A part, a file and a form may be empty") {
  CHECK(text_of(field("name=a", "") + "--b--") == "[a]");
  CHECK(text_of(field("name=f; filename=\"\"", "") + field("name=g", "") + "--b--") == "[f||][g]");
  CHECK(text_of("--b--") == "");
  CHECK(text_of("--b--\r\n") == "");
  CHECK(text_of("\r\n--b--\r\n") == "");
}

TEST_CASE("What only resembles a delimiter is content") {
  for (const std::string content :
       {"\r\n--bx",   "--bx",       "--b-",        "--b--x",       "\n--b\r\n",
        "\r\n-",      "\r\n--",     "\r",          "\r\r\n--c",    "\r\n\r\n",
        "x\r\n--b.",  "\r\n--b-",   "\r\n--b-x",   "\r\n--b--x",   "\r\n--b \tx",
        "\r\n--b\rx", "\r\n--b\nx", "\r\n--B\r\n", "\r\n --b\r\n", "\r\n--\r\n--bb"}) {
    CAPTURE(content);
    CHECK(text_of(field("name=a", content) + "--b--") == "[a]" + content);
  }
  const std::string padded = "\r\n--b" + std::string(65, ' ') + "\r\n";
  CHECK(text_of(field("name=a", padded) + "--b--") == "[a]" + padded);
}

TEST_CASE("A part may have no content at all, not even the end of an empty line") {
  CHECK(text_of("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n--b--") == "[a]");
}

TEST_CASE("What stands around the parts is passed over") {
  CHECK(text_of("preamble\r\n--bb\r\n--b \t\r\nContent-Disposition: form-data; name=a\r\n\r\nx"
                "\r\n--b--\t \r\nepilogue\r\n--b\r\n") == "[a]x");
  CHECK(text_of(a_part + "--b--\r\n\r\n\r\n") == "[a]x");
}

TEST_CASE("Boundaries may look like delimiters themselves") {
  for (const std::string boundary :
       {"--", "----WebKitFormBoundary7MA4YWxkTrZu0gW", "-b-", "''", "a b", "0'()+_,-./:=?"}) {
    CAPTURE(boundary);
    REQUIRE(MultipartParser::is_boundary(boundary));
    CHECK(text_of("--" + boundary +
                      "\r\nContent-Disposition: form-data; name=a\r\n\r\n--\r\n---\r\n--" +
                      boundary + "--\r\n",
                  boundary) == "[a]--\r\n---");
  }
}

TEST_CASE("A boundary is 1 to 70 of certain characters") {
  CHECK(MultipartParser::is_boundary(std::string(70, 'a')));
  for (const std::string& text :
       {std::string(), std::string(71, 'a'), std::string("a "), std::string("a\r\n"),
        std::string("a\"b"), std::string("\xc3\xa4")}) {
    CAPTURE(text);
    CHECK_FALSE(MultipartParser::is_boundary(text));
  }
}

TEST_CASE("Names stand in quotes or not, and in several manners") {
  const auto head = [](const std::string& disposition) {
    return text_of(field(disposition, "") + "--b--");
  };
  CHECK(head("name=a;filename=b.txt") == "[a|b.txt|]");
  CHECK(head("name=\"a;b\"; filename=\"c=d\"") == "[a;b|c=d|]");
  CHECK(head(R"(name="a\"b"; filename="C:\dir\x.txt")") == R"([a"b|C:\dir\x.txt|])");
  CHECK(head("name=\"a%22b\"; filename=\"%22\"") == "[a\"b|\"|]");
  CHECK(head("name=a; filename=x; filename*=UTF-8''%E2%82%AC%22") == "[a|\xe2\x82\xac\"|]");
  CHECK(head("name=\"\"") == "[]");
  CHECK(head("name=\"\xc3\xa4\"") == "[\xc3\xa4]");
}

TEST_CASE("A form that is cut off is refused, wherever it is cut") {
  const std::string body = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--b--";
  for (std::size_t size = 0; size < body.size(); ++size) {
    CAPTURE(size);
    CHECK(parse_split(body.substr(0, size)).status == Status::bad_request);
  }
  CHECK(parse_split(a_part).reason == "the form ends before its last boundary");
  CHECK(parse_split("").status == Status::bad_request);
}

TEST_CASE("A part whose head makes no sense is refused with a reason") {
  const auto reason = [](const std::string& head) {
    const Outcome outcome = parse_split("--b\r\n" + head + "\r\n\r\nx\r\n--b--");
    CHECK(outcome.status == Status::bad_request);
    return outcome.reason;
  };
  CHECK(reason("") == "a part has no name");
  CHECK(reason("Content-Type: text/plain") == "a part has no name");
  CHECK(reason("Content-Disposition: form-data") == "a part has no name");
  CHECK(reason("Content-Disposition: attachment; name=a") == "a part says that it is no form-data");
  CHECK(reason("Content-Disposition: form-data; name=\"a") ==
        "a part says that it is no form-data");
  CHECK(
      reason("Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b") ==
      "a part has two names");
  CHECK(reason("Content-Disposition: form-data; name=\"\xe4\"") == "a part's name is not in UTF-8");
  for (const char* line : {"nonsense", ": x", " folded", "a: \x01", "a: b\nc: d"}) {
    CAPTURE(line);
    CHECK(reason("Content-Disposition: form-data; name=a\r\n" + std::string(line)) ==
          "a part has a field line that is none");
  }
}

TEST_CASE("A part that is encoded is refused, one that says it is not is taken") {
  const auto status = [](const std::string& encoding) {
    return parse_split(
               "--b\r\nContent-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: " +
               encoding + "\r\n\r\nx\r\n--b--")
        .status;
  };
  CHECK(status("binary") == Status::none);
  CHECK(status("8bit") == Status::none);
  CHECK(status("base64") == Status::unsupported_media_type);
  CHECK(status("quoted-printable") == Status::unsupported_media_type);
}

TEST_CASE("Heads and numbers of parts have bounds, for every way of splitting") {
  MultipartLimits limits;
  limits.max_head_bytes = 60;
  const std::string head = "Content-Disposition: form-data; name=";
  const auto with_head = [&](std::size_t size) {
    return parse_split(
               "--b\r\n" + head + std::string(size - head.size(), 'a') + "\r\n\r\nx\r\n--b--", "b",
               limits)
        .status;
  };
  CHECK(with_head(60) == Status::none);
  CHECK(with_head(61) == Status::request_header_fields_too_large);
  CHECK(with_head(99) == Status::request_header_fields_too_large);
  CHECK(parse_split("--b\r\n" + std::string(100, 'a'), "b", limits).status ==
        Status::request_header_fields_too_large);
  limits.max_fields = 2;
  limits.max_files = 1;
  const std::string file = field("name=f; filename=g", "");
  CHECK(parse_split(a_part + file + a_part + "--b--", "b", limits).status == Status::none);
  CHECK(parse_split(a_part + a_part + a_part + "--b--", "b", limits).status ==
        Status::content_too_large);
  CHECK(parse_split(file + file + "--b--", "b", limits).status == Status::content_too_large);
}

TEST_CASE("A file's name leads nowhere") {
  CHECK(plain_file_name("a.txt") == "a.txt");
  CHECK(plain_file_name("C:\\dir\\a.txt") == "a.txt");
  CHECK(plain_file_name("../../etc/passwd") == "passwd");
  CHECK(plain_file_name("..") == "file");
  CHECK(plain_file_name("a/") == "file");
  CHECK(plain_file_name(".bashrc") == "bashrc");
  CHECK(plain_file_name(std::string("a\0b\r\nc\x7f", 7)) == "abc");
  CHECK(plain_file_name("") == "file");
}

TEST_CASE("Whatever is put into a form comes out of it") {
  RandomText random;
  INFO("STAGECRAFT_SEED=" << random.seed());
  for (int round = 0; round < 300; ++round) {
    // Much of the content is made of pieces of delimiters.
    std::string body;
    std::string expected;
    for (std::size_t count = random.number(4); count > 0; --count) {
      std::string content = random.number(2) == 0 ? random.bytes(50) : random.of("\r\n-b ", 50);
      if (("\r\n" + content + "\r\n").find("\r\n--b") != std::string::npos) continue;
      body += field("name=n", content);
      expected += "[n]" + content;
    }
    body += "--b--";
    std::vector<std::string_view> pieces;
    for (std::string_view rest = body; !rest.empty();) {
      const std::size_t size = 1 + random.number(random.number(3) == 0 ? 40 : 3);
      pieces.push_back(rest.substr(0, size));
      rest.remove_prefix(std::min(rest.size(), size));
    }
    const Outcome outcome = parse(pieces);
    CAPTURE(body);
    REQUIRE(outcome == Outcome{expected, Status::none, ""});
  }
}
