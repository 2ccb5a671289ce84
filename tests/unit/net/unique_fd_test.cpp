#include "net/unique_fd.h"

#include <fcntl.h>

#include <type_traits>

#include "catch.h"
#include "net_fixtures.h"

using namespace stagecraft;

namespace {

int open_something() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

}  // namespace

static_assert(!std::is_copy_constructible_v<UniqueFd> && !std::is_copy_assignable_v<UniqueFd>);
static_assert(std::is_nothrow_move_constructible_v<UniqueFd>);
static_assert(sizeof(UniqueFd) == sizeof(int));

TEST_CASE("a descriptor is closed with its owner") {
  const int fd = open_something();
  {
    const UniqueFd owner(fd);
    CHECK(owner);
    CHECK(owner.get() == fd);
    CHECK(is_open(fd));
  }
  CHECK_FALSE(is_open(fd));
}

TEST_CASE("none is none") {
  const UniqueFd none;
  CHECK_FALSE(none);
  CHECK(none.get() == -1);
  const UniqueFd zero(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  CHECK(static_cast<bool>(zero) == (zero.get() >= 0));
}

TEST_CASE("moving hands the descriptor over") {
  const int fd = open_something();
  UniqueFd first(fd);
  UniqueFd second(std::move(first));
  CHECK_FALSE(first);  // NOLINT(bugprone-use-after-move): an empty owner is what is promised
  CHECK(second.get() == fd);

  const int other = open_something();
  UniqueFd third(other);
  third = std::move(second);
  CHECK_FALSE(is_open(other));
  CHECK(third.get() == fd);
  CHECK(is_open(fd));
}

TEST_CASE("moving to itself changes nothing") {
  UniqueFd owner(open_something());
  const int fd = owner.get();
  UniqueFd& same = owner;
  owner = std::move(same);
  CHECK(owner.get() == fd);
  CHECK(is_open(fd));
}

TEST_CASE("release gives up, reset replaces") {
  UniqueFd owner(open_something());
  const int fd = owner.release();
  CHECK_FALSE(owner);
  CHECK(is_open(fd));
  owner.reset(fd);
  CHECK(owner.get() == fd);
  const int other = open_something();
  owner.reset(other);
  CHECK_FALSE(is_open(fd));
  owner.reset();
  CHECK_FALSE(is_open(other));
  CHECK_FALSE(owner);
}
