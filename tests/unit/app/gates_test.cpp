// A gate holds who comes to it until it is opened.
#include "app/gates.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <system_error>
#include <thread>

#include "catch.h"
#include "unit/base/unit_fixtures.h"

using namespace stagecraft;

TEST_CASE("A gate's name can lead nowhere else") {
  CHECK(is_gate_name("a"));
  CHECK(is_gate_name("Gate_1-b"));
  CHECK(is_gate_name(std::string(64, 'x')));
  for (const std::string& name :
       {std::string(), std::string(65, 'x'), std::string("."), std::string(".."),
        std::string("a.in"), std::string("../a"), std::string("a/b"), std::string("a b"),
        std::string("a%2fb"), std::string("a\0b", 3), std::string("\xc3\xa4")}) {
    INFO(name);
    CHECK_FALSE(is_gate_name(name));
  }
}

TEST_CASE("Where there is no gate nobody waits") {
  const TemporaryFolder folder;
  const Gates gates(folder.path(""));
  CHECK(gates.pass("missing") == Status::not_found);
  folder.file("plain.in", "");
  folder.file("plain.go", "");
  CHECK(gates.pass("plain") == Status::not_found);
  REQUIRE(::mkfifo(folder.path("half.in").c_str(), 0600) == 0);
  CHECK(gates.pass("half") == Status::not_found);
}

TEST_CASE("A gate in another folder is none") {
  const TemporaryFolder folder;
  REQUIRE(::mkdir(folder.path("gates").c_str(), 0700) == 0);
  REQUIRE(::mkfifo(folder.path("g.in").c_str(), 0600) == 0);
  REQUIRE(::mkfifo(folder.path("g.go").c_str(), 0600) == 0);
  CHECK(Gates(folder.path("gates")).pass("../g") == Status::not_found);
}

TEST_CASE("A folder that is not there cannot have gates") {
  CHECK_THROWS_AS(Gates("/nowhere/at all"), std::system_error);
}

TEST_CASE("A gate is passed when it has been opened, and not before") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo(folder.path("g.in").c_str(), 0600) == 0);
  REQUIRE(::mkfifo(folder.path("g.go").c_str(), 0600) == 0);
  const Gates gates(folder.path(""));
  std::atomic<bool> opened = false;
  bool passed_early = true;
  Status status = Status::none;
  std::thread visitor([&] {
    status = gates.pass("g");
    passed_early = !opened;
  });
  // Opening waits for the other side: behind this line the visitor has arrived.
  const UniqueFd arrival(::open(folder.path("g.in").c_str(), O_RDONLY | O_CLOEXEC));
  CHECK(arrival);
  opened = true;
  const UniqueFd leave(::open(folder.path("g.go").c_str(), O_WRONLY | O_CLOEXEC));
  visitor.join();
  CHECK(status == Status::ok);
  CHECK_FALSE(passed_early);
}
