// Files without a name.
#include "web/temporary_file.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "catch.h"
#include "support/scratch_folder.h"

using namespace stagecraft;
using namespace stagecraft::testing;

TEST_CASE("A temporary file has a content and no name") {
  const ScratchFolder folder;
  const auto making = GENERATE(TemporaryFile::Making::nameless, TemporaryFile::Making::unlinked);
  TemporaryFile file(folder.path(), making);
  CHECK(file);
  CHECK(file.write("hello ") == 0);
  CHECK(file.write("world") == 0);
  CHECK(file.size() == 11);
  std::array<char, 20> read{};
  CHECK(::pread(file.file().get(), read.data(), read.size(), 6) == 5);
  CHECK(std::string(read.data()) == "world");
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("A folder that is not there is told") {
  CHECK_THROWS_WITH(TemporaryFile("/nowhere"), Catch::Contains("temporary file in /nowhere"));
  CHECK_THROWS_AS(TemporaryFile("/proc"), std::system_error);
}

TEST_CASE("A full disk is an error number") {
  TemporaryFile file(temporary_folder());
  TemporaryFile closed = std::exchange(file, {});
  CHECK_FALSE(file);
  CHECK(file.write("x") == EBADF);
  CHECK(closed.write("x") == 0);
}
