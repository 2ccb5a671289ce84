// Chunked bodies, good and bad, each in every way in which its bytes may arrive.
#include "http/chunked_decoder.h"

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "catch.h"
#include "unit/http/guarded_bytes.h"

using namespace stagecraft;
using namespace std::string_view_literals;
using stagecraft::testing::GuardedBytes;

namespace {

struct Decoded {
  std::string outcome =
      "incomplete";  // the data and `[Name: value]` of each trailer, or the refusal
  Status error = Status::none;
  std::size_t used = 0;           // the body's size in wire form
  std::size_t decided_after = 0;  // the bytes that had to be there
};

std::string describe(const ChunkedDecoder& decoder, std::string_view data, const char* trailer) {
  std::string text(data);
  for (std::size_t i = 0; i < decoder.trailer_count(); ++i) {
    text += " [" + std::string(decoder.trailer(i).name.of(trailer)) + ": " +
            std::string(decoder.trailer(i).value.of(trailer)) + ']';
  }
  return text;
}

// Shows the decoder BYTES in pieces of the given size, but the first of FIRST_SIZE: always what it
// has not used yet, in memory that ends with it.
Decoded decode_in_pieces(ChunkedDecoder& decoder, std::string_view bytes, std::size_t first_size,
                         std::size_t piece_size) {
  GuardedBytes block(bytes.size());
  Decoded decoded;
  std::string data;
  for (std::size_t end = first_size;; end += piece_size) {
    end = std::min(end, bytes.size());
    for (;;) {
      const std::string_view there = block.hold(bytes.substr(decoded.used, end - decoded.used));
      const ChunkedDecoder::Result result = decoder.decode(there);
      decoded.used += result.used;
      decoded.decided_after = end;
      data += result.data;
      CHECK(result.used <= there.size());
      if (result.progress == Progress::failed) {
        decoded.error = decoder.error();
        decoded.outcome =
            std::to_string(code(decoder.error())) + ' ' + std::string(decoder.reason());
        CHECK(decoder.decode(there).progress == Progress::failed);
        return decoded;
      }
      if (result.progress == Progress::complete) {
        CHECK(result.data.empty());
        CHECK(result.used == decoder.trailer_size());
        decoded.outcome = describe(decoder, data, there.data());
        return decoded;
      }
      if (result.used == 0) break;
    }
    if (end == bytes.size()) return decoded;
  }
}

// In every way: whole, byte by byte, in two pieces split anywhere, and by a decoder used before.
Decoded decode(std::string_view bytes, const Limits& limits = {}) {
  ChunkedDecoder decoder(limits);
  decoder.reset();
  const Decoded bytewise = decode_in_pieces(decoder, bytes, 1, 1);
  for (std::size_t first = 1; first <= bytes.size(); ++first) {
    CAPTURE(first);
    decoder.reset();
    const Decoded other = decode_in_pieces(decoder, bytes, first, bytes.size());
    REQUIRE(other.outcome == bytewise.outcome);
    if (bytewise.error == Status::none) REQUIRE(other.used == bytewise.used);
  }
  return bytewise;
}

void check_good(std::string_view bytes, std::string_view outcome) {
  CAPTURE(bytes);
  const Decoded alone = decode(bytes);
  CHECK(alone.outcome == outcome);
  CHECK(alone.used == bytes.size());
  CHECK(alone.decided_after == bytes.size());
  const Decoded followed = decode(std::string(bytes) + "GET / HTTP/1.1\r\n");
  CHECK(followed.outcome == outcome);
  CHECK(followed.used == bytes.size());
}

// BYTES end in the first byte that is wrong.
void check_bad(std::string_view bytes, Status status = Status::bad_request) {
  CAPTURE(bytes);
  const Decoded alone = decode(bytes);
  CHECK(alone.error == status);
  CHECK(alone.decided_after == bytes.size());
  const Decoded followed = decode(std::string(bytes) + "0\r\n\r\n");
  CHECK(followed.outcome == alone.outcome);
}

}  // namespace

TEST_CASE("Chunks are taken apart") {
  check_good("0\r\n\r\n", "");
  check_good("5\r\nhello\r\n0\r\n\r\n", "hello");
  check_good("1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n0\r\n\r\n", "abcdef");
  check_good("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789");
  check_good("00005\r\nhello\r\n000\r\n\r\n", "hello");
  check_good("00000000000000000000005\r\nhello\r\n0\r\n\r\n", "hello");
  check_good("2\r\n\r\n\r\n0\r\n\r\n", "\r\n");
  check_good("5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n");
  const std::string large(0x1234, 'x');
  const ChunkedDecoder::Result result = [&large] {
    const Limits limits;
    ChunkedDecoder decoder(limits);
    decoder.reset();
    return decoder.decode("1234\r\n" + large);
  }();
  CHECK(result.data.size() == large.size());
}

TEST_CASE("Chunk extensions are skipped if they are in the grammar") {
  for (const std::string_view line : {"5;a"sv,
                                      "5;a=b"sv,
                                      "5;a;b"sv,
                                      "5;a=b;c=d"sv,
                                      "5;a=\"\""sv,
                                      "5;a=\"b c;d\t\""sv,
                                      "5;a=\"\\\"\""sv,
                                      "5;a=\"\\\\\""sv,
                                      "5;a=\"\xc3\xa9\""sv,
                                      "5;a=\"b\";c"sv,
                                      "5 ;a"sv,
                                      "5\t; a"sv,
                                      "5; \ta"sv,
                                      "5;a =b"sv,
                                      "5;a= b"sv,
                                      "5;a \t= \tb"sv,
                                      "5;a ;b"sv,
                                      "5;a=b ;c"sv,
                                      "5;a=\"b\" ;c"sv,
                                      "5;!#$%&'*+-.^_`|~=!#$%&'*+-.^_`|~"sv,
                                      "5; a = \"x\" ; b"sv}) {
    check_good(std::string(line) + "\r\nhello\r\n0\r\n\r\n", "hello");
    check_good("5\r\nhello\r\n0" + std::string(line.substr(1)) + "\r\n\r\n", "hello");
  }
}

TEST_CASE("A chunk's line is refused at its first wrong byte") {
  for (const std::string_view bytes : {" "sv,
                                       "\t"sv,
                                       "\r"sv,
                                       "\n"sv,
                                       ";"sv,
                                       "+"sv,
                                       "-"sv,
                                       "x"sv,
                                       "g"sv,
                                       "\""sv,
                                       "\0"sv,
                                       "\x80"sv,
                                       "0x"sv,
                                       "5_"sv,
                                       "5g"sv,
                                       "5."sv,
                                       "5,"sv,
                                       "5 \r"sv,
                                       "5\t\r"sv,
                                       "5 5"sv,
                                       "5 \n"sv,
                                       "5\n"sv,
                                       "5\rh"sv,
                                       "5\r\r"sv,
                                       "5;\r"sv,
                                       "5;\n"sv,
                                       "5;;"sv,
                                       "5;="sv,
                                       "5;a\n"sv,
                                       "5;a\rb"sv,
                                       "5;a \r"sv,
                                       "5;a=\r"sv,
                                       "5;a=;"sv,
                                       "5;a=b \r"sv,
                                       "5;a=b\n"sv,
                                       "5;a=b="sv,
                                       "5;a=b c"sv,
                                       "5;a b"sv,
                                       "5;a=\"b\r"sv,
                                       "5;a=\"b\n"sv,
                                       "5;a=\"b\0"sv,
                                       "5;a=\"\\\r"sv,
                                       "5;a=\"b\"c"sv,
                                       "5;a=\"b\" \r"sv,
                                       "5;a=b\""sv,
                                       "5;a\""sv,
                                       "5;("sv,
                                       "5;\x80"sv,
                                       "5;a=b\x7f"sv,
                                       "5\r\nhello\n"sv,
                                       "5\r\nhellow"sv,
                                       "5\r\nhello0"sv,
                                       "5\r\nhello\rx"sv,
                                       "5\r\nhello\r\r"sv,
                                       "5\r\nhello\r\n\r"sv,
                                       "5\r\nhello\r\n;"sv,
                                       "0\n"sv,
                                       "0\r\r"sv}) {
    check_bad(bytes);
  }
}

TEST_CASE("A chunk's size that does not fit is refused and never wraps") {
  check_bad("1000000000000000");  // 2^60, of which a digit more would make 2^64
  check_bad("ffffffffffffffff");
  check_bad("0000001000000000000000");
  CHECK(decode("fffffffffffffff\r\nhello").outcome == "incomplete");  // 2^60 - 1
  CHECK(decode("100000005\r\nhello\r\n0\r\n\r\n").outcome == "incomplete");
}

TEST_CASE("Trailers are kept apart and judged like fields") {
  check_good("5\r\nhello\r\n0\r\nX: y\r\n\r\n", "hello [X: y]");
  check_good("0\r\nX: 1\r\nx:\t2 \r\nHost: b\r\nContent-Length: 3\r\n\r\n",
             " [X: 1] [x: 2] [Host: b] [Content-Length: 3]");
  check_good("0\r\nEmpty:\r\n\r\n", " [Empty: ]");
  check_bad("0\r\n\n");
  check_bad("0\r\n\rX");
  check_bad("0\r\n ");
  check_bad("0\r\nX\r");
  check_bad("0\r\nX ");
  check_bad("0\r\n:");
  check_bad("0\r\nX: y\n");
  check_bad("0\r\nX: y\rz");
  check_bad("0\r\nX: y\r\n ");
  check_bad("0\r\nX: \x01");
  check_bad("0\r\nX: y\r\n\r\r");
}

TEST_CASE("There may be as many trailer fields, and as large, as the limits say") {
  std::string fields = "0\r\n";
  for (std::size_t i = 0; i < ChunkedDecoder::max_trailers; ++i) fields += "X:\r\n";
  CHECK(decode(fields + "\r\n").error == Status::none);
  CHECK(decode(fields + "X:\r\n\r\n").error == Status::request_header_fields_too_large);

  Limits limits;
  limits.max_trailer_size = 20;
  const std::string full = "0\r\nX: 3456789012345\r\n\r\n";
  REQUIRE(full.size() == 3 + 20);
  CHECK(decode(full, limits).error == Status::none);
  CHECK(decode(full + "GET / HTTP/1.1\r\n", limits).error == Status::none);
  const Decoded refused = decode("0\r\nX: 34567890123456\r\n\r\n", limits);
  CHECK(refused.error == Status::request_header_fields_too_large);
  CHECK(refused.decided_after == full.size());
}

TEST_CASE("Sizes and extensions may outweigh the data by so much and not more") {
  Limits limits;
  limits.max_chunk_overhead = 20;
  // Nine bytes beside extension and data; the data itself is allowed on top.
  const auto body = [](std::size_t extension) {
    return "3;" + std::string(extension, 'x') + "\r\nabc\r\n0\r\n\r\n";
  };
  CHECK(decode(body(14), limits).outcome == "abc");
  CHECK(decode(body(15), limits).error == Status::content_too_large);
  CHECK(decode("0" + std::string(19, '0') + "\r\n\r\n", limits).error == Status::content_too_large);
  CHECK(decode("0" + std::string(17, '0') + "\r\n\r\n", limits).error == Status::none);
  const Decoded endless = decode("5;" + std::string(100, 'x'), limits);
  CHECK(endless.error == Status::content_too_large);
  CHECK(endless.decided_after == 21);
}

TEST_CASE("A long body in honest chunks passes, one in chunks of a byte does not") {
  const Limits limits;
  const auto feed = [&limits](const std::string& chunk, std::size_t times) {
    ChunkedDecoder decoder(limits);
    decoder.reset();
    for (std::size_t i = 0; i < times; ++i) {
      for (std::string_view rest = chunk; !rest.empty();) {
        const ChunkedDecoder::Result result = decoder.decode(rest);
        if (result.progress == Progress::failed) return decoder.error();
        rest.remove_prefix(result.used);
      }
    }
    return Status::none;
  };
  CHECK(feed("8\r\n12345678\r\n", 100'000) == Status::none);
  CHECK(feed("1\r\n1\r\n", 3'000) == Status::none);
  CHECK(feed("1\r\n1\r\n", 5'000) == Status::content_too_large);
}

TEST_CASE("Chunked bodies damaged at random are read the same way whatever their pieces") {
  const std::string_view good = "5;a=\"b\";c\r\nhello\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n";
  const std::string_view alphabet("\r\n: \t05a;\"=\\g\x01", 14);
  std::mt19937 random(1);  // always the same, so that a failure can be seen again
  const auto below = [&random](std::size_t bound) { return random() % bound; };
  for (int round = 0; round < 1500; ++round) {
    std::string bytes(good);
    for (std::size_t damage = 1 + below(3); damage > 0; --damage) {
      const std::size_t at = below(bytes.size());
      if (below(3) == 0) {
        bytes.erase(at, 1);
      } else {
        bytes.insert(at, 1, alphabet[below(alphabet.size())]);
      }
    }
    CAPTURE(bytes);
    decode(bytes);
  }
}
