// What tells one state of a file from another.
#include "web/file_validators.h"

#include <string>

#include "catch.h"

using namespace stagecraft;

namespace {

constexpr timespec now{1'796'083'200, 500'000'000};

struct stat file_changed_at(timespec time) {
  struct stat about {};
  about.st_dev = 1;
  about.st_ino = 2;
  about.st_size = 3;
  about.st_mtim = time;
  return about;
}

std::string tag(const struct stat& about) { return file_validators(about, now).entity_tag; }

}  // namespace

TEST_CASE("A file that is the same has the same tag, and any change gives another") {
  const struct stat before = file_changed_at({784111777, 5});
  const std::string first = tag(before);
  CHECK(first == tag(before));
  CHECK(first.front() == '"');
  CHECK(first.back() == '"');
  CHECK(first.size() <= 18);
  struct stat after = before;
  after.st_mtim.tv_nsec += 1;
  CHECK(tag(after) != first);
  after = before;
  after.st_mtim.tv_sec += 1;
  CHECK(tag(after) != first);
  after = before;
  after.st_size += 1;
  CHECK(tag(after) != first);
  after = before;
  after.st_ino += 1;
  CHECK(tag(after) != first);
  after = before;
  after.st_dev += 1;
  CHECK(tag(after) != first);
}

TEST_CASE("A tag is weak as long as the file could change again without a new time") {
  const auto weak = [](timespec changed) {
    return tag(file_changed_at(changed)).starts_with("W/");
  };
  CHECK(weak(now));
  CHECK(weak({now.tv_sec, now.tv_nsec - 19'999'999}));
  CHECK_FALSE(weak({now.tv_sec, now.tv_nsec - 20'000'000}));
  CHECK_FALSE(weak({now.tv_sec - 1, now.tv_nsec}));
  // No nanoseconds: the file system may count in seconds.
  CHECK(weak({now.tv_sec, 0}));
  CHECK(weak({now.tv_sec - 1, 0}));
  CHECK_FALSE(weak({now.tv_sec - 2, 0}));
  // A time in the future is not one that a change now would give.
  CHECK_FALSE(weak({now.tv_sec + 1, 1}));
}

TEST_CASE("Weak or not, the tag says the same state") {
  const struct stat about = file_changed_at({now.tv_sec - 1, 0});
  const std::string young = file_validators(about, now).entity_tag;
  const std::string old = file_validators(about, {now.tv_sec + 10, 0}).entity_tag;
  CHECK(young == "W/" + old);
}

TEST_CASE("A file was never changed later than the Date of its answer") {
  CHECK(file_validators(file_changed_at({784111777, 5}), now).last_modified == 784111777);
  CHECK(file_validators(file_changed_at({now.tv_sec + 100, 5}), now).last_modified ==
        now.tv_sec - 1);
  CHECK(file_validators(file_changed_at({now.tv_sec, 5}), now).last_modified == now.tv_sec - 1);
  CHECK(file_validators(file_changed_at({now.tv_sec - 1, 5}), now).last_modified == now.tv_sec - 1);
}
