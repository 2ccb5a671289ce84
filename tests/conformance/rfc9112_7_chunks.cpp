// RFC 9112, sections 7 and 8: chunks, trailers, and what is cut off.
#include <string>

#include "catch.h"
#include "conformance/probe.h"

namespace stagecraft::conformance {

TEST_CASE("The name of the coding is compared without case", "[rfc9112-7][9112-7-1]") {
  for (const std::string name : {"chunked", "Chunked", "CHUNKED", "cHuNkEd"}) {
    const Answers answers = require(
        request("POST", "/", "Transfer-Encoding: " + name + "\r\n") + "5\r\nhello\r\n0\r\n\r\n",
        "200 keep");
    check_body(answers, "hello");
  }
}

TEST_CASE("Sizes are hexadecimal, in either case, with leading zeros", "[rfc9112-7][9112-7.1-1]") {
  const auto body = [](std::string_view chunks) {
    return require(post_chunked(chunks), "200 keep").last().body;
  };
  CHECK(body("A\r\n0123456789\r\n0\r\n\r\n") == "0123456789");
  CHECK(body("a\r\n0123456789\r\n0\r\n\r\n") == "0123456789");
  CHECK(body("0005\r\nhello\r\n0\r\n\r\n") == "hello");
  CHECK(body("5\r\nhello\r\n0000\r\n\r\n") == "hello");
  CHECK(body("0\r\n\r\n").empty());
  const std::string large(0xFACE, 'x');
  CHECK(body("fAcE\r\n" + large + "\r\n0\r\n\r\n") == large);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "1\r\nx\r\n";
  CHECK(body(many + "0\r\n\r\n") == repeated('x', 1000));
}

TEST_CASE("A very large size is never read as a small one", "[rfc9112-7][9112-7.1-2]") {
  constexpr auto hint = "the size overflows, or is cut to fewer bits";
  for (const std::string size :
       {"FFFFFFFF", "100000000", "100000005", "7FFFFFFFFFFFFFFF", "8000000000000005",
        "FFFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFE", "10000000000000000", "10000000000000005",
        "1000000000000000000000000000000000000005"}) {
    check(post_chunked(size + "\r\nhello\r\n0\r\n\r\n"), "413 close or 400 close", hint);
  }
  // Beyond the limit only together with what has come before.
  check(post_chunked("5\r\nhello\r\nFFFFFFFFFFFFFFFC\r\nhello\r\n0\r\n\r\n"),
        "413 close or 400 close", hint);
}

TEST_CASE("Parameters of the coding are an error", "[rfc9112-7][9112-7.1-3]") {
  for (const std::string parameter : {";q=1", "; a=b", ";a", ";"}) {
    check(request("POST", "/", "Transfer-Encoding: chunked" + parameter + "\r\n") +
              "5\r\nhello\r\n0\r\n\r\n",
          "400 close");
  }
}

TEST_CASE("Malformed chunks are refused", "[rfc9112-7][9112-7.1-4]") {
  for (const std::string chunks :
       {"5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello\r\n0\n\r\n",
        "5\r\nhello\r\n0\r\n\n", "5\rhello\r\n0\r\n\r\n", "5\r\nhello\r0\r\n\r\n",
        "5\r\nhell\r\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n", "5\r\nhello0\r\n\r\n",
        "5\r\nhello\r\n\r\n0\r\n\r\n", " 5\r\nhello\r\n0\r\n\r\n", "\t5\r\nhello\r\n0\r\n\r\n",
        "5 \r\nhello\r\n0\r\n\r\n", "5\t\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n",
        "-1\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "5_0\r\nhello\r\n0\r\n\r\n",
        "5h\r\nhello\r\n0\r\n\r\n", "g\r\nhello\r\n0\r\n\r\n", "5.\r\nhello\r\n0\r\n\r\n",
        "\r\n\r\n", ";a=b\r\n\r\n", "\r\nhello\r\n0\r\n\r\n", ";a=b\r\nhello\r\n0\r\n\r\n",
        "5,\r\nhello\r\n0\r\n\r\n", "\"5\"\r\nhello\r\n0\r\n\r\n", "5\r\r\nhello\r\n0\r\n\r\n",
        "0 \r\n\r\n", "0;\r\n\r\n", "\xFF\r\n\r\n", "-0\r\n\r\n",
        // Another byte in the place of CR or LF, all else in its place.
        "5\rXhello\r\n0\r\n\r\n", "5\r\nhello\rX0\r\n\r\n", "5\r\nhelloX\n0\r\n\r\n",
        "5\r\nhello\r\n0\rX\r\n", "5\r\nhello\r\n0\r\n\rX"}) {
    check(post_chunked(chunks), "400 close",
          "a size of hexadecimal digits, CRLF, the data, CRLF, and nothing else");
  }
}

TEST_CASE("Unknown chunk extensions are skipped", "[rfc9112-7][9112-7.1.1-1]") {
  for (const std::string extension : {";a=b", ";a", ";a=b;c=d", ";a;b;c", ";a=\"x;y\"", ";a=\"\"",
                                      ";a=\"5\";b=\"0\"", ";!#$%&'*+-.^_`|~=1"}) {
    const Answers answers = require(
        post_chunked("5" + extension + "\r\nhello\r\n0" + extension + "\r\n\r\n"), "200 keep");
    check_body(answers, "hello");
  }
}

TEST_CASE("Malformed chunk extensions are refused", "[rfc9112-7][9112-7.1-4]") {
  for (const std::string extension :
       {";", ";;a", ";=b", ";a=", ";a=b c", ";a=\"b", ";a=\"b\"c", ";a\nb", ";a\rb", ";a=\"b\nc\"",
        ";a=\"b\rc\"", ";a=[", ";a=b;"}) {
    check(post_chunked("5" + extension + "\r\nhello\r\n0\r\n\r\n"), "400 close",
          "some end the line, or the quoted string, somewhere else");
  }
}

TEST_CASE("Chunk extensions are bounded", "[rfc9112-7][9112-7.1.1-2]") {
  constexpr auto outcome = "413 close or 431 close or 400 close";
  constexpr auto hint = "a client can send extensions for ever while no byte of the body comes";
  check(post_chunked("5;" + repeated('a', 65536) + "\r\nhello\r\n0\r\n\r\n"), outcome, hint);
  std::string many;
  for (int i = 0; i < 128; ++i) many += "1;" + repeated('a', 1024) + "\r\nx\r\n";
  check(post_chunked(many + "0\r\n\r\n"), outcome, "each is short; their sum is not");
  check(post_chunked("1;a=\"" + repeated('a', 65536) + "\"\r\nx\r\n0\r\n\r\n"), outcome, hint);
  check(post_chunked(repeated('0', 65536) + "1\r\nx\r\n0\r\n\r\n"), outcome,
        "leading zeros are a flood as well");
}

TEST_CASE("Trailer fields are kept apart from the fields of the head",
          "[rfc9112-7][9112-7.1.2-1]") {
  const std::string evil =
      "0\r\nHost: evil\r\nContent-Length: 50\r\nAuthorization: x\r\nTransfer-Encoding: foo\r\n"
      "Connection: close\r\n\r\n";
  const Answers answers =
      check(request("GET", "/authority", "Transfer-Encoding: chunked\r\n") + evil,
            "200 keep or 400 close");
  if (answers.last().status == 200) CHECK(answers.last().body.substr(0, 1) == "a");
  CHECK(answers.last().body.find("evil") == std::string::npos);
  const Answers fields = require(
      post_chunked("5\r\nhello\r\n0\r\nX-Sum: 1\r\nx-sum:2 \r\n\r\n", "/fields"), "200 keep");
  check_body(fields, "Host: a\nTransfer-Encoding: chunked\ntrailer X-Sum: 1\ntrailer x-sum: 2\n");
}

TEST_CASE("Trailers are read to their empty line", "[rfc9112-7][9112-7.1.2-2]") {
  check(post_chunked("5\r\nhello\r\n0\r\nX: y\r\n\r\n") + get("/"), "200, 200 keep");
  check(post_chunked("0\r\nX: y\r\nZ:\r\n\r\n") + get("/"), "200, 200 keep");
}

TEST_CASE("Malformed trailers are refused", "[rfc9112-7][9112-7.1.2-2]") {
  for (const std::string trailer :
       {"bad line\r\n", ": y\r\n", "X : y\r\n", " X: y\r\n", "X: y\r\n z\r\n", "X: y\n",
        "X: a\rb\r\n", "X[]: y\r\n", "GET / HTTP/1.1\r\n"}) {
    // A field line may end in LF alone for those who take that anywhere.
    const bool lf_alone = trailer == "X: y\n";
    check(post_chunked("5\r\nhello\r\n0\r\n" + trailer + "\r\n"),
          lf_alone ? "400 close / 200 any" : "400 close", "trailer lines are field lines");
  }
  check(post_chunked("0\r\nX: " + repeated('a', 65536) + "\r\n\r\n"),
        "431 close or 413 close or 400 close", "the trailer section is bounded as well");
}

TEST_CASE("TE changes nothing but whether trailers are welcome", "[rfc9112-7][9112-7.4-1]") {
  for (const std::string te :
       {"chunked;q=0, gzip", "gzip", "trailers", "deflate;q=0.5, trailers", ""}) {
    const Answers answers =
        require(get("/chunked", "TE: " + te + "\r\nConnection: TE\r\n"), "200 keep");
    CHECK(answers.last().field("Transfer-Encoding") == "chunked");
    CHECK_FALSE(answers.last().has("Content-Encoding"));
  }
}

TEST_CASE("A chunked body without its end is not acted on", "[rfc9112-7][9112-8-1]") {
  const std::string chunks = "5\r\nhello\r\n0\r\nX: y\r\n\r\n";
  for (std::size_t received = 0; received < chunks.size(); ++received) {
    check(Probe{.request = post_chunked(chunks.substr(0, received)),
                .outcome = "400 close",
                .hint = "the end of the connection is taken for the end of the body",
                .then = Then::half_close});
  }
}

TEST_CASE("A head that is cut off is not acted on", "[rfc9112-7][9112-8-1]") {
  const std::string head = get("/");
  for (std::size_t received = 1; received < head.size(); ++received) {
    check(Probe{.request = head.substr(0, received),
                .outcome = "400 close or no answer, close",
                .hint = "half a request is taken for a whole one",
                .then = Then::half_close});
  }
  check(Probe{.request = "",
              .outcome = "no answer, close",
              .hint = "a client that says nothing and goes has asked for nothing",
              .then = Then::half_close});
}

}  // namespace stagecraft::conformance
