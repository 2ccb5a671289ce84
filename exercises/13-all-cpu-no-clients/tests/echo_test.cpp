#include "echo.h"

#include <string>
#include <vector>

#include "exercise.h"
#include "scripted_crowd.h"
#include "sleep_counter.h"

namespace {

using namespace stagecraft::exercise;

// Has the crowd served until the script is over; a call that would wait for ever fails the test
// case.
void serve(ScriptedCrowd& crowd) {
  try {
    echo(crowd.listener());
  } catch (const Stuck& stuck) {
    FAIL(stuck.waits_for);
  }
}

// `size` bytes in which no two places look alike to a test that loses some.
std::string numbered(std::size_t size) {
  std::string text;
  for (int number = 100; text.size() < size; ++number) text += std::to_string(number) + " ";
  return text.substr(0, size);
}

}  // namespace

TEST_CASE("gives_back_what_is_said") {
  const Story story({.did = "Ann and Bob said something, by turns",
                     .likely = "bytes are lost, doubled, or sent to the other"});
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob")},
                       {says("Ann", "hello ")},
                       {says("Bob", "good day"), says("Ann", "there")}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Ann"), "hello there");
  REQUIRE_SAME(crowd.heard_by("Bob"), "good day");
}

TEST_CASE("no_wakeups_when_idle") {
  const Story story(
      {.did = "Ann and Bob connected; Ann said something, got it back in two parts, and "
              "fell silent",
       .likely = "a socket is nearly always writable: who asks for POLLOUT with nothing "
                 "to send is woken at once, for ever"});
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob")},
                       {has_room("Ann", 5)},
                       {says("Ann", "a few words")},
                       {has_room("Ann", 1000)},
                       {says("Bob", "a few more")},
                       {connects("Cid")}});
  serve(crowd);
  INFO("poll() returned " << crowd.idle_wakeups() << " times without any need");
  REQUIRE(crowd.idle_wakeups() == 0);
  REQUIRE_SAME(crowd.heard_by("Ann"), "a few words");
}

TEST_CASE("no_vain_sends") {
  const Story story({.did = "counted the calls of send() that took nothing",
                     .likely = "send() is called with nothing to send"});
  ScriptedCrowd crowd({{connects("Ann")}, {says("Ann", "hello")}, {leaves("Ann")}});
  serve(crowd);
  REQUIRE(crowd.vain_sends() == 0);
}

TEST_CASE("slow_reader_gets_every_byte") {
  const Story story({.did = "Ann said 500 bytes, while there was room for 10; more room came later",
                     .likely = "what a short send() leaves over has to be sent when there is room, "
                               "and POLLOUT is how one learns of that"});
  const std::string text = numbered(500);
  ScriptedCrowd crowd({{connects("Ann")},
                       {has_room("Ann", 10)},
                       {says("Ann", text)},
                       {has_room("Ann", 100)},
                       {has_room("Ann", 100)},
                       {has_room("Ann", 1000)}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Ann"), text);
  REQUIRE(crowd.idle_wakeups() == 0);
}

TEST_CASE("no_wakeups_while_there_is_no_room") {
  const Story story({.did = "Ann said more than most_waiting bytes, and took none back",
                     .likely =
                         "poll() is asked for bytes that are not received, or for room that is "
                         "not used"});
  const std::string text = numbered(most_waiting + 3000);
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob")},
                       {has_room("Ann", 0)},
                       {says("Ann", text)},
                       {says("Bob", "hello")},
                       {has_room("Ann", 2000)},
                       {has_room("Ann", 20000)}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Bob"), "hello");
  REQUIRE_SAME(crowd.heard_by("Ann"), text);
  REQUIRE(crowd.idle_wakeups() == 0);
}

TEST_CASE("half_closed_client_gets_its_rest") {
  const Story story({.did = "Ann said 500 bytes and that it sends no more, with room for 10",
                     .paste = "seq 1000000 | nc -N 127.0.0.1 8080 | tail -1",
                     .likely = "the end of its input is taken for the end of the client"});
  const std::string text = numbered(500);
  ScriptedCrowd crowd({{connects("Ann")},
                       {has_room("Ann", 10)},
                       {says("Ann", text), leaves("Ann")},
                       {has_room("Ann", 1000)},
                       {connects("Bob")}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Ann"), text);
  REQUIRE(crowd.closes_of("Ann") == 1);
}

TEST_CASE("half_closed_client_does_not_spin") {
  const Story story({.did = "Ann sent no more, and took nothing back for a while",
                     .likely = "an end stays readable for ever: who has read it must not ask for "
                               "POLLIN again"});
  ScriptedCrowd crowd({{connects("Ann")},
                       {has_room("Ann", 10)},
                       {says("Ann", numbered(500))},
                       {leaves("Ann")},
                       {connects("Bob")},
                       {has_room("Ann", 1000)}});
  serve(crowd);
  INFO("poll() returned " << crowd.idle_wakeups() << " times without any need");
  REQUIRE(crowd.idle_wakeups() == 0);
}

TEST_CASE("reset_ends_one_client") {
  const Story story({.did = "Ann went away without a word, while bytes for it were waiting",
                     .likely = "POLLERR and POLLHUP come unasked, and last: the client must be "
                               "closed, or they come again"});
  ScriptedCrowd crowd({{connects("Ann"), connects("Bob")},
                       {has_room("Ann", 0)},
                       {says("Ann", "hello")},
                       {is_reset("Ann")},
                       {says("Bob", "still here")}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Bob"), "still here");
  CHECK(crowd.closes_of("Ann") == 1);
  REQUIRE(crowd.idle_wakeups() == 0);
}

TEST_CASE("no_sleep_calls") {
  const Story story({.did = "looked for calls that sleep",
                     .likely =
                         "sleeping makes a busy loop slower and every client too; the loop is "
                         "busy all the same"});
  const SleepCounter sleeps;
  ScriptedCrowd crowd({{connects("Ann")}, {says("Ann", "hello")}, {leaves("Ann")}});
  serve(crowd);
  REQUIRE_SAME(crowd.heard_by("Ann"), "hello");
  REQUIRE(sleeps.calls() == 0);
}
