// Bytes in one piece, growing at the back and taken from the front.
#include "http/buffer.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "catch.h"

using stagecraft::Buffer;

namespace {

void receive(Buffer& buffer, std::string_view bytes) {
  buffer.reserve(bytes.size());
  std::copy(bytes.begin(), bytes.end(), buffer.room().begin());
  buffer.commit(bytes.size());
}

}  // namespace

TEST_CASE("An empty buffer owns nothing") {
  const Buffer buffer;
  CHECK(buffer.empty());
  CHECK(buffer.size() == 0);
  CHECK(buffer.capacity() == 0);
  CHECK(buffer.view().empty());
}

TEST_CASE("Bytes are appended, received and consumed in order") {
  Buffer buffer;
  buffer.append("hello");
  receive(buffer, ", world");
  buffer.append("");
  CHECK(buffer.view() == "hello, world");
  buffer.consume(7);
  CHECK(buffer.view() == "world");
  buffer.consume(0);
  buffer.consume(5);
  CHECK(buffer.empty());
}

TEST_CASE("An emptied buffer starts again at its beginning, in the same block") {
  Buffer buffer;
  buffer.append("hello");
  const char* const block = buffer.data();
  buffer.consume(5);
  buffer.append("bye");
  CHECK(buffer.data() == block);
  buffer.clear();
  CHECK(buffer.empty());
  CHECK(buffer.capacity() >= 5);
}

TEST_CASE("Room is made at the front if that is enough, else in a larger block") {
  Buffer buffer;
  buffer.reserve(100);
  REQUIRE(buffer.capacity() >= 100);
  const std::size_t capacity = buffer.capacity();
  buffer.append(std::string(capacity - 1, 'x'));
  buffer.append("y");
  CHECK(buffer.capacity() == capacity);
  CHECK(buffer.room().empty());
  buffer.consume(capacity - 1);
  buffer.reserve(capacity - 1);
  CHECK(buffer.capacity() == capacity);  // only moved
  CHECK(buffer.view() == "y");
  CHECK(buffer.room().size() == capacity - 1);
  buffer.reserve(capacity);
  CHECK(buffer.capacity() >= 2 * capacity);
  CHECK(buffer.view() == "y");
  CHECK(buffer.room().size() >= capacity);
}

TEST_CASE("A buffer that grows byte by byte moves its bytes seldom") {
  Buffer buffer;
  unsigned blocks = 0;
  std::size_t capacity = 0;
  for (int i = 0; i < 100'000; ++i) {
    buffer.append("x");
    if (buffer.capacity() != capacity) ++blocks;
    capacity = buffer.capacity();
  }
  CHECK(buffer.size() == 100'000);
  CHECK(blocks < 20);
}

TEST_CASE("Bytes are erased from the middle") {
  Buffer buffer;
  buffer.append("..0123456789");
  buffer.consume(2);
  buffer.erase(3, 4);
  CHECK(buffer.view() == "012789");
  buffer.erase(0, 1);
  CHECK(buffer.view() == "12789");
  buffer.erase(4, 1);
  CHECK(buffer.view() == "1278");
  buffer.erase(2, 0);
  CHECK(buffer.view() == "1278");
  buffer.erase(0, 4);
  CHECK(buffer.empty());
}

TEST_CASE("A large block is given back on demand, a small one is kept") {
  Buffer buffer;
  buffer.append("hello");
  buffer.clear();
  const std::size_t capacity = buffer.capacity();
  buffer.shrink(capacity);
  CHECK(buffer.capacity() == capacity);
  buffer.shrink(capacity - 1);
  CHECK(buffer.capacity() == 0);
  buffer.append("again");
  CHECK(buffer.view() == "again");
}
