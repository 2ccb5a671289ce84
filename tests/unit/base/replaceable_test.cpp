#include "base/replaceable.h"

#include <atomic>
#include <future>
#include <memory>

#include "catch.h"

using namespace stagecraft;

TEST_CASE("a value that is replaced lives as long as somebody has it") {
  Replaceable<std::shared_ptr<int>> value(std::make_shared<int>(1));
  const std::uint64_t generation = value.generation();
  auto first = value.current();
  CHECK(first.generation == generation);
  const std::weak_ptr<int> there = *first.value;
  value.replace(std::make_shared<int>(2));
  CHECK(value.generation() != generation);
  CHECK(**value.current().value == 2);
  CHECK(**first.value == 1);
  first.value.reset();
  CHECK(there.expired());
}

TEST_CASE("readers of a value that is replaced all the time never see an older one again") {
  Replaceable<int> value(0);
  std::atomic<bool> ended = false;
  const auto read = [&] {
    auto mine = value.current();
    int backwards = 0;
    while (!ended) {
      if (value.generation() == mine.generation) continue;
      const auto next = value.current();
      if (*next.value <= *mine.value) ++backwards;
      mine = next;
    }
    return backwards;
  };
  auto one = std::async(std::launch::async, read);
  auto other = std::async(std::launch::async, read);
  for (int i = 1; i <= 10'000; ++i) value.replace(i);
  ended = true;
  CHECK(one.get() == 0);
  CHECK(other.get() == 0);
  CHECK(*value.current().value == 10'000);
}
