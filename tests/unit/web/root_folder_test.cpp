// What can be opened below a folder, by either way of looking.
#include "web/root_folder.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "catch.h"
#include "unit/base/unit_fixtures.h"

using namespace stagecraft;

namespace {

using Lookup = RootFolder::Lookup;

std::string content(const OpenedFile& file) {
  std::array<char, 64> buffer{};
  const ssize_t n = ::read(file.descriptor.get(), buffer.data(), buffer.size());
  return n < 0 ? std::strerror(errno) : std::string(buffer.data(), static_cast<std::size_t>(n));
}

// A folder with all that can lie in one, and a neighbour that must stay unseen.
class Tree {
 public:
  Tree() {
    outside.file("secret.txt", "secret");
    root.file("a.txt", "content");
    REQUIRE(::mkdir(path("sub").c_str(), 0700) == 0);
    root.file("sub/b.txt", "further down");
    link(outside.path("secret.txt"), "absolute-out");
    link("../" + name_of(outside) + "/secret.txt", "relative-out");
    link(outside.path(""), "folder-out");
    link("/", "everything");
    link("..", "up");
    link("../a.txt", "sub/inside");
    link("sub", "folder-inside");
    link("loop", "loop");
    link("/proc/self/root", "magic");
    link("missing", "dangling");
    link(path("a.txt"), "absolute-inside");
    REQUIRE(::mkfifo(path("fifo").c_str(), 0600) == 0);
  }
  std::string path(std::string_view name) const { return root.path(name); }

  TemporaryFolder root, outside;

 private:
  static std::string name_of(const TemporaryFolder& folder) {
    std::string path = folder.path("");
    while (path.ends_with('/')) path.pop_back();
    return path.substr(path.rfind('/') + 1);
  }
  void link(const std::string& target, const char* name) const {
    REQUIRE(::symlink(target.c_str(), path(name).c_str()) == 0);
  }
};

}  // namespace

TEST_CASE("What is below the folder can be opened, by either way") {
  const Tree tree;
  for (const Lookup lookup : {Lookup::beneath, Lookup::step_by_step}) {
    const RootFolder folder(tree.path(""), lookup);
    CHECK(content(folder.open("a.txt")) == "content");
    CHECK(content(folder.open("sub/b.txt")) == "further down");
    const OpenedFile sub = folder.open("sub");
    CHECK(sub.error == 0);
    CHECK(S_ISDIR(sub.about.st_mode));
    CHECK(S_ISDIR(folder.open(".").about.st_mode));
    CHECK(folder.open("a.txt").about.st_size == 7);
    CHECK(folder.open("missing").error == ENOENT);
    CHECK(folder.open("missing/b.txt").error == ENOENT);
    CHECK(folder.open("a.txt/b.txt").error == ENOTDIR);
    CHECK(folder.open(std::string(300, 'x')).error == ENAMETOOLONG);
  }
}

TEST_CASE("Nothing leads out of the folder, by either way") {
  const Tree tree;
  for (const Lookup lookup : {Lookup::beneath, Lookup::step_by_step}) {
    const RootFolder folder(tree.path(""), lookup);
    for (const char* name : {"absolute-out",
                             "relative-out",
                             "folder-out/secret.txt",
                             "folder-out",
                             "everything",
                             "everything/etc/passwd",
                             "up",
                             "up/secret.txt",
                             "..",
                             "../",
                             "../secret.txt",
                             "sub/../../secret.txt",
                             "sub/../..",
                             "/etc/passwd",
                             "/",
                             "loop",
                             "loop/a",
                             "magic",
                             "magic/etc/passwd",
                             "dangling",
                             "absolute-inside",
                             "sub/../folder-out/secret.txt"}) {
      INFO(name);
      const OpenedFile file = folder.open(name);
      CHECK(file.error != 0);
      CHECK_FALSE(file.descriptor);
    }
  }
}

TEST_CASE("A link that stays inside is followed by the kernel, and none by us") {
  const Tree tree;
  const RootFolder kernel(tree.path(""), Lookup::beneath);
  CHECK(content(kernel.open("sub/inside")) == "content");
  CHECK(content(kernel.open("folder-inside/b.txt")) == "further down");
  const RootFolder step_by_step(tree.path(""), Lookup::step_by_step);
  CHECK(step_by_step.open("sub/inside").error == ELOOP);
  CHECK(step_by_step.open("folder-inside/b.txt").error == ENOTDIR);
}

TEST_CASE("What is neither file nor folder is not there, and holds nobody up") {
  const Tree tree;
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = tree.path("socket");
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  for (const Lookup lookup : {Lookup::beneath, Lookup::step_by_step}) {
    const RootFolder folder(tree.path(""), lookup);
    CHECK(folder.open("fifo").error == ENOENT);
    CHECK(folder.open("socket").error == ENXIO);
  }
  ::close(listener);
}

TEST_CASE("No descriptor is left behind by whatever is opened") {
  const Tree tree;
  const auto next_descriptor = [] {
    const int descriptor = ::dup(0);
    ::close(descriptor);
    return descriptor;
  };
  for (const Lookup lookup : {Lookup::beneath, Lookup::step_by_step}) {
    const RootFolder folder(tree.path(""), lookup);
    const int before = next_descriptor();
    for (const char* name : {"a.txt", "sub/b.txt", "sub", "fifo", "up", "sub/missing", "a.txt/b"}) {
      folder.open(name);
      CHECK(next_descriptor() == before);
    }
  }
}

TEST_CASE("Without descriptors there is an error, and not a missing file") {
  const Tree tree;
  for (const Lookup lookup : {Lookup::beneath, Lookup::step_by_step}) {
    const RootFolder folder(tree.path(""), lookup);
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    rlimit none = before;
    none.rlim_cur = 0;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    const int error = folder.open("sub/b.txt").error;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(error == EMFILE);
  }
}

TEST_CASE("A folder that is not there, or is none, cannot be served") {
  const Tree tree;
  CHECK_THROWS_AS(RootFolder("/nowhere/at all"), std::system_error);
  CHECK_THROWS_AS(RootFolder(tree.path("a.txt")), std::system_error);
}
