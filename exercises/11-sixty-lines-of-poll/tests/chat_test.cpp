#include "chat.h"

#include <string>
#include <vector>

#include "exercise.h"
#include "scripted_crowd.h"

namespace {

using namespace stagecraft::exercise;

// Has the room served until the script is over; a call that would wait for ever fails the test
// case.
void serve(ScriptedCrowd& crowd) {
  try {
    chat(crowd.listener());
  } catch (const Stuck& stuck) {
    FAIL(stuck.waits_for);
  }
}

std::string line_of(std::size_t size) { return std::string(size - 1, 'a') + "\n"; }

}  // namespace

TEST_CASE("ends_with_the_listener") {
  const Story story({.did = "shut the listener down before anybody came",
                     .likely = "accept() failing with EINVAL is the end"});
  ScriptedCrowd crowd({});
  serve(crowd);
  SUCCEED();
}

TEST_CASE("line_reaches_the_others") {
  const Story story({.did = "Ann, Bob and Cid came; Ann said a line, then Cid did",
                     .likely = "a line goes to all who are there but to the one who said it"});
  ScriptedCrowd crowd({{connects("Ann")},
                       {connects("Bob"), connects("Cid")},
                       {says("Ann", "hello\n")},
                       {says("Cid", "hello Ann\n")}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Ann"), "hello Ann\n");
  REQUIRE_SAME(crowd.heard_by("Bob"), "hello\nhello Ann\n");
  REQUIRE_SAME(crowd.heard_by("Cid"), "hello\n");
}

TEST_CASE("closes_every_guest_once") {
  const Story story({.did = "Ann left, Bob stayed to the end",
                     .likely = "whoever was accepted is closed: when it leaves, or at the end"});
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob")}, {leaves("Ann")}, {says("Bob", "oh\n")}});
  serve(crowd);
  CHECK(crowd.closes_of("Ann") == 1);
  REQUIRE(crowd.closes_of("Bob") == 1);
}

TEST_CASE("half_line_stops_nobody") {
  const Story story({.did = "Ann said half a line and fell silent; Bob said a whole one",
                     .paste = "(printf 'wait'; sleep 60) | nc 127.0.0.1 8080 &",
                     .likely =
                         "somebody reads on until the newline comes: one recv() for each time "
                         "that poll() reports a guest, and no more"});
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob"), connects("Cid")},
                       {says("Ann", "wait")},
                       {says("Bob", "hello\n")},
                       {says("Ann", " for me\n")}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Cid"), "hello\nwait for me\n");
}

TEST_CASE("interleaved_halves") {
  const Story story({.did = "Ann and Bob said their lines in pieces, by turns",
                     .likely = "the halves of two guests are kept in one buffer"});
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob"), connects("Cid")},
                       {says("Ann", "one ")},
                       {says("Bob", "three ")},
                       {says("Ann", "two")},
                       {says("Bob", "four\n")},
                       {says("Ann", "\n")}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Cid"), "three four\none two\n");
}

TEST_CASE("several_lines_in_one_piece") {
  const Story story({.did = "Ann said two lines and a half at once, then the rest",
                     .likely = "one piece is taken for one line"});
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob")},
                       {says("Ann", "one\ntwo\nthr")},
                       {says("Bob", "and?\n")},
                       {says("Ann", "ee\n")}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Bob"), "one\ntwo\nthree\n");
  REQUIRE_SAME(crowd.heard_by("Ann"), "and?\n");
}

TEST_CASE("three_leave_in_one_round") {
  const Story story({.did = "of five guests three left at once, while the fourth said a line",
                     .likely = "guests are taken out of the vector while it is gone through: then "
                               "guest i no longer stands beside answer i of poll()"});
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob"), connects("Cid"), connects("Dan")},
                       {connects("Eve")},
                       {leaves("Ann"), leaves("Bob"), leaves("Cid"), says("Dan", "quiet here\n")},
                       {says("Eve", "yes\n")},
                       {says("Dan", "good\n")}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Eve"), "quiet here\ngood\n");
  REQUIRE_SAME(crowd.heard_by("Dan"), "yes\n");
  for (const char* const who : {"Ann", "Bob", "Cid", "Dan", "Eve"})
    CHECK(crowd.closes_of(who) == 1);
}

TEST_CASE("half_line_goes_with_its_guest") {
  const Story story({.did = "Ann left in the middle of a line, and Cid came",
                     .likely = "a half line is passed on, or is left to the next guest"});
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob")},
                       {says("Ann", "I think that")},
                       {leaves("Ann")},
                       {connects("Cid")},
                       {says("Cid", "hello\n")}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Bob"), "hello\n");
}

TEST_CASE("long_line_puts_out") {
  const Story story(
      {.did = "said a line of longest_line bytes, then one that is longer",
       .paste = "yes | tr -d '\\n' | nc 127.0.0.1 8080",
       .likely = "what a guest may say without a newline has no bound, or the wrong"});
  const std::string longest = line_of(longest_line);
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob"), connects("Cid")},
                       {says("Ann", longest)},
                       {says("Ann", std::string(longest_line / 2, 'b'))},
                       {says("Ann", std::string(longest_line - longest_line / 2, 'b'))},
                       {says("Ann", "\n")},
                       {says("Cid", line_of(longest_line + 1))},
                       {connects("Dan")},
                       {says("Dan", "who shouts?\n")}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Bob"), longest + "who shouts?\n");
  CHECK(crowd.heard_by("Ann").empty());
  REQUIRE(crowd.heard_by("Cid") == longest);
}

TEST_CASE("who_does_not_read_is_put_out") {
  const Story story({.did = "the kernel had no more room for Bob, and Ann said a line",
                     .likely =
                         "send() waits for Bob, or a line is sent by halves: MSG_DONTWAIT, and "
                         "look at what it returns"});
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob"), connects("Cid")},
                       {has_room("Bob", 9)},
                       {says("Ann", "one\n")},
                       {says("Ann", "a long line\n")},
                       {has_room("Bob", 100)},
                       {says("Ann", "two\n")}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Cid"), "one\na long line\ntwo\n");
  REQUIRE_SAME(crowd.heard_by("Bob"), "one\na lon");
  REQUIRE(crowd.closes_of("Bob") == 1);
}

TEST_CASE("reset_hurts_nobody_else") {
  const Story story({.did = "Bob went away without a word, in the moment in which Ann said a line",
                     .likely = "an error of one guest ends more than that guest"});
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob"), connects("Cid")},
                       {says("Ann", "one\n"), is_reset("Bob")},
                       {says("Ann", "two\n")},
                       {says("Cid", "three\n")}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Cid"), "one\ntwo\n");
  REQUIRE_SAME(crowd.heard_by("Ann"), "three\n");
  REQUIRE(crowd.closes_of("Bob") == 1);
}

TEST_CASE("wakes_for_a_reason") {
  const Story story(
      {.did = "had guests come, talk and leave, and counted what poll() was called for",
       .likely = "poll() has a timeout, or asks for what is nearly always true, such "
                 "as POLLOUT; or a guest who left is still asked for"});
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob")},
                       {says("Ann", "one\n")},
                       {leaves("Ann")},
                       {says("Bob", "two\n")}});
  serve(crowd);
  REQUIRE(crowd.idle_wakeups() == 0);
}
