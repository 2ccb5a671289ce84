// What every test of an exercise includes: Catch2, and the words in which a failure is told.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"

namespace stagecraft::exercise {

/// What a test does, in words for whoever fails it. Each may be empty.
struct Telling {
  std::string did = {};     ///< what was done: "sent the request in two pieces, cut after byte 17"
  std::string paste = {};   ///< a line for the shell that does it again
  std::string likely = {};  ///< the likely cause: "the answer goes out after the first read"
};

/// Holds while it lives: a check that fails meanwhile is reported with it. Made and destroyed by
/// the thread of the test case; the innermost one counts.
class Story {
 public:
  explicit Story(Telling telling);
  ~Story();
  Story(const Story&) = delete;
  Story& operator=(const Story&) = delete;
};

/// Adds a line to the transcript of this test case, which a failure shows: "gate a entered". From
/// any thread. Each test case begins with an empty one.
void note(std::string event);

/// The transcript so far, from any thread.
std::vector<std::string> transcript();

/// Ends the test case as one that cannot be judged on this machine; its points leave the total.
/// `reason` completes the sentence "not judged: only one CPU". On the thread of the test case.
[[noreturn]] void not_judged(const std::string& reason);

/// Empty if the two are equal. Otherwise both, readable, one below the other, with a caret under
/// the first byte that differs.
std::string difference(std::string_view got, std::string_view expected);

/// The folder that holds the files which the student edits; for those that are no C++.
std::filesystem::path submitted_folder();

/// The contents of one of these files. Fails the test case if it is not there.
std::string submitted(const std::string& file);

/// The path of a program that exercise.json names under "programs". Fails the test case if the
/// grader did not build it.
std::string program(const std::string& name);

/// What this run draws its numbers from; 0 unless the grader was given a seed.
unsigned seed();

}  // namespace stagecraft::exercise

/// Two texts must be equal; says where they are not.
#define REQUIRE_SAME(got, expected)                                                      \
  do {                                                                                   \
    const std::string different = ::stagecraft::exercise::difference((got), (expected)); \
    if (different.empty()) {                                                             \
      SUCCEED();                                                                         \
    } else {                                                                             \
      FAIL(different);                                                                   \
    }                                                                                    \
  } while (false)
