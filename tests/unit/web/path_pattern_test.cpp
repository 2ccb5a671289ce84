// What patterns mean, and which of them a path matches.
#include "web/path_pattern.h"

#include <pthread.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"
#include "web/path_tree.h"

using namespace stagecraft;

namespace {

// A tree of these patterns, numbered from 0.
PathTree tree_of(const std::vector<std::string>& patterns) {
  PathTree tree;
  for (std::size_t i = 0; i < patterns.size(); ++i) tree.add(PathPattern(patterns[i]), i);
  return tree;
}

}  // namespace

TEST_CASE("A pattern is taken apart into its segments") {
  const PathPattern pattern("/guests/{id}/photo-3");
  CHECK(pattern.segments.size() == 3);
}

TEST_CASE("Patterns that mean nothing are refused, and quoted") {
  for (const char* text : {"", "guests", "*", "/a{id}", "/{id}b", "/{", "/}", "/{}", "/{a b}",
                           "/{1}", "/{id}/{id}", "/{id:}", "/{id: }", "/{id: a/{b}"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(PathPattern(text), std::invalid_argument);
  }
  CHECK_THROWS_WITH(PathPattern("guests"), Catch::Contains("the pattern guests"));
}

TEST_CASE("An expression that is none is explained") {
  PathTree tree;
  CHECK_THROWS_WITH(tree.add(PathPattern("/{id: [0-9}"), 0), Catch::Contains("missing ]"));
  CHECK_THROWS_WITH(tree.add(PathPattern("/{id: a(b}"), 0), Catch::Contains("missing )"));
}

TEST_CASE("A parameter is one segment, and not an empty one") {
  const PathTree tree = tree_of({"/guests/{id}", "/guests/{id}/photo"});
  CHECK(tree.find("/guests/7") == 0);
  CHECK(tree.find("/guests/7/photo") == 1);
  for (const char* path : {"/guests", "/guests/", "/guests/7/", "/guests/7/photos",
                           "/guests//photo", "/guests/7/photo/", "/", "*", ""}) {
    CAPTURE(path);
    CHECK_FALSE(tree.find(path));
  }
}

TEST_CASE("An expression describes a segment from end to end") {
  const PathTree tree =
      tree_of({"/{id: [0-9]+}", "/{word: a|bc}/x", "/n/{n: [0-9]{2,3}}", "/s/{s: [^/]+}"});
  CHECK(tree.find("/42") == 0);
  CHECK_FALSE(tree.find("/42a"));
  CHECK_FALSE(tree.find("/a42"));
  CHECK_FALSE(tree.find("/42\n"));
  CHECK(tree.find("/a/x") == 1);
  CHECK(tree.find("/bc/x") == 1);
  CHECK_FALSE(tree.find("/ac/x"));
  CHECK(tree.find("/n/123") == 2);
  CHECK_FALSE(tree.find("/n/1234"));
  CHECK(tree.find("/s/a b") == 3);
}

TEST_CASE("The more exact pattern counts, whatever the order") {
  const std::vector<std::string> patterns{"/...", "/a/...", "/{x}/b",       "/a/{y}",  "/a/{y: b+}",
                                          "/a/b", "/{x}",   "/a/{y}/c/...", "/a/b/{z}"};
  std::vector<std::string> reversed(patterns.rbegin(), patterns.rend());
  const PathTree forwards = tree_of(patterns);
  const PathTree backwards = tree_of(reversed);
  const auto found = [&](std::string_view path) {
    const auto number = forwards.find(path);
    REQUIRE(number);
    CHECK(reversed[*backwards.find(path)] == patterns[*number]);
    return patterns[*number];
  };
  CHECK(found("/a/b") == "/a/b");
  CHECK(found("/a/bb") == "/a/{y: b+}");
  CHECK(found("/a/c") == "/a/{y}");
  CHECK(found("/a/c/d") == "/a/...");
  CHECK(found("/a/c/c/") == "/a/{y}/c/...");
  CHECK(found("/a/b/c") == "/a/b/{z}");
  CHECK(found("/a/b/c/d") == "/a/{y}/c/...");
  CHECK(found("/a/b/d/d") == "/a/...");
  CHECK(found("/b/b") == "/{x}/b");
  CHECK(found("/b/c") == "/...");
  CHECK(found("/") == "/...");
  CHECK(found("/a/") == "/a/...");
}

TEST_CASE("Patterns that differ in names alone are one") {
  PathTree tree;
  CHECK(tree.add(PathPattern("/{a}/{b: x}"), 0) == 0);
  CHECK(tree.add(PathPattern("/{c}/{d: x}"), 1) == 0);
  CHECK(tree.add(PathPattern("/{c}/{d: y}"), 1) == 1);
}

TEST_CASE("Parameters are found by name, and what the dots stand for") {
  const PathParameters path("/{a}/b/{long-name: [a-z{1,2}]+}/...", "/1/b/xyz/c/d");
  CHECK(path["a"] == "1");
  CHECK(path["long-name"] == "xyz");
  CHECK(path.rest() == "c/d");
  CHECK_THROWS_AS(path["b"], std::out_of_range);
  CHECK(PathParameters("/files/...", "/files/").rest().empty());
  CHECK(PathParameters("/files/...", "/files//a").rest() == "/a");
  CHECK(PathParameters("/{a}", "/1").rest().empty());
}

TEST_CASE("A long path needs no large stack, whatever the expression") {
  const PathTree tree =
      tree_of({"/{x: (a|aa)+b}", "/{x: (a*)*c}", "/{y: ([a-z0-9]+[.])+[a-z]{2,}}"});
  const std::string letters = "/" + std::string(30'000, 'a');
  std::vector<std::optional<std::size_t>> found;
  const auto look = [&] {
    found = {tree.find(letters + "b"), tree.find(letters + "c"), tree.find(letters)};
  };
  // The smallest that a thread may have on most systems.
  pthread_attr_t attributes;
  REQUIRE(::pthread_attr_init(&attributes) == 0);
  REQUIRE(::pthread_attr_setstacksize(&attributes, 64 * 1024) == 0);
  pthread_t thread{};
  const auto run = [](void* function) -> void* {
    (*static_cast<decltype(look)*>(function))();
    return nullptr;
  };
  REQUIRE(::pthread_create(&thread, &attributes, run,
                           const_cast<void*>(static_cast<const void*>(&look))) == 0);
  ::pthread_join(thread, nullptr);
  ::pthread_attr_destroy(&attributes);
  CHECK(found == std::vector<std::optional<std::size_t>>{0, 1, std::nullopt});
}

TEST_CASE("Several threads may look at once") {
  const PathTree tree = tree_of({"/{x: (a|b|[c-z]+)*1}", "/{y}"});
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int& count : wrong) {
    threads.emplace_back([&tree, &count] {
      for (int i = 0; i < 300; ++i) {
        const std::string word = "/" + std::string(static_cast<std::size_t>(i % 40), 'a') + "z";
        if (tree.find(word + "1") != 0) ++count;
        if (tree.find(word + "2") != 1) ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>{0, 0, 0, 0});
}
