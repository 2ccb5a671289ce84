#include "capability/capabilities.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "catch.h"
#include "support/test_server.h"

namespace stagecraft::capability {
namespace {

// Which of the columns is the stage under test: its name begins with its number.
std::size_t column() {
  const std::string stage = testing::stage_under_test();
  const unsigned long number = std::strtoul(stage.c_str(), nullptr, 10);
  if (number < 1 || number > stage_count) {
    throw std::runtime_error("which stage is `" + stage +
                             "`? STAGECRAFT_STAGE=03 says what to expect of the program");
  }
  return number - 1;
}

const Capability& row(std::string_view key) {
  const std::vector<Capability>& all = capabilities();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [key](const Capability& each) { return each.key == key; });
  if (found == all.end()) throw std::logic_error("no capability " + std::string(key));
  return *found;
}

// The file of a cell of the table; no name if nobody wants to have it.
std::filesystem::path result_file(const Capability& capability) {
  const char* folder = std::getenv("STAGECRAFT_RESULTS");
  if (folder == nullptr) return {};
  const std::string name = std::string(capability.key) + ".json";
  return std::filesystem::path(folder) / testing::stage_under_test() / name;
}

// None of the texts has a character that JSON would want escaped.
void write_result(const Capability& capability, const std::string& told) {
  const std::filesystem::path file = result_file(capability);
  if (file.empty()) return;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "{\"order\": " << &capability - capabilities().data()
                      << ", \"question\": \"" << capability.question << "\", \"found\": \"" << told
                      << "\"}\n";
}

}  // namespace

const std::vector<Capability>& capabilities() {
  static const std::vector<Capability> all{
      {"silent-client",
       "another client is served while one is silent",
       {"no", "yes", "yes", "yes", "yes", "yes", "yes"}},
      {"silent-clients",
       "... while two are, with two workers",
       {"no", "yes", "no", "yes", "yes", "yes", "yes"}},
      {"idle-1000",
       "... while 1,000 have asked once and stay",
       {"no", "yes", "no", "yes", "yes", "yes", "yes"}},
      {"idle-10000", "... while 10,000 have", {"no", "yes", "no", "yes", "yes", "yes", "yes"}},
      {"threads-per-client", "threads for 64 more clients", {"0", "64", "0", "0", "0", "0", "0"}},
      {"handler-blocks",
       "others are served while a handler waits",
       {"no", "yes", "yes", "no", "no", "yes", "yes"}},
      {"ready-answer", "... and ready answers leave", {"no", "no", "no", "no", "no", "yes", "yes"}},
      {"handlers-block",
       "... while two do, with two workers",
       {"no", "yes", "no", "no", "no", "yes", "yes"}},
      {"handlers-at-once",
       "handlers inside at once, with two workers",
       {"1", "3 of 3", "2", "1", "1", "2", "2"}},
      {"workers-grow", "... with --workers-max 3", {"-", "-", "3", "-", "-", "3", "3"}},
      {"executor-thread",
       "... with --executor thread",
       {"-", "-", "-", "-", "-", "3 of 3", "3 of 3"}},
      {"executor-inline",
       "held up by a handler with --executor inline",
       {"-", "-", "-", "-", "-", "everyone", "its loop"}},
      {"deferred-holds",
       "others are served while two answers are promised",
       {"no", "yes", "no", "yes", "yes", "yes", "yes"}},
      {"deferred-at-once",
       "of 500 promised answers at once",
       {"1", "500", "8", "500", "500", "500", "500"}},
      {"deferred-19000",
       "19,000 answers that are promised within a second",
       {"-", "-", "-", "-", "in time", "in time", "in time"}},
      {"greedy-asker",
       "others are served while one asks without end",
       {"no", "yes", "yes", "yes", "yes", "yes", "yes"}},
      {"greedy-reader",
       "... while one is sent 64 MiB",
       {"no", "yes", "yes", "*", "yes", "yes", "yes"}},
      {"idle-memory",
       "memory that an idle connection costs",
       {"-", "*", "-", "*", "at most 1 KiB", "at most 1 KiB", "at most 1 KiB"}},
      {"idle-work",
       "what is done while all clients are idle",
       {"nothing", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing"}},
      {"drain",
       "answered of 20 requests that were there at SIGTERM",
       {"20", "20", "20", "20", "20", "20", "20"}},
      {"second-signal",
       "a second SIGTERM ends it at once",
       {"yes", "yes", "yes", "yes", "yes", "yes", "yes"}},
      {"silent-at-stop",
       "it ends soon although clients are silent",
       {"yes", "yes", "yes", "yes", "yes", "yes", "yes"}},
      {"restart",
       "it can start again at once on its port",
       {"yes", "yes", "yes", "yes", "yes", "yes", "yes"}},
      {"placement",
       "of three loops, a new client goes to",
       {"-", "-", "-", "-", "-", "-", "the emptiest"}},
      {"reuse-port", "processes that share a port", {"-", "-", "-", "-", "-", "-", "2"}},
  };
  return all;
}

bool has_capability_to_show(std::string_view key) {
  if (row(key).expected[column()] != "-") return true;
  check_capability(key, std::string("-"));
  return false;
}

void check_capability(std::string_view key, const std::string& found, const std::string& told) {
  const Capability& capability = row(key);
  const std::string_view expected = capability.expected[column()];
  INFO(testing::stage_under_test() << ": " << capability.question);
  if (expected != "*") CHECK(found == expected);
  if (expected == "*" || found == expected) {
    write_result(capability, told.empty() ? found : told);
  } else {
    // What an earlier run found is no longer so.
    std::error_code ignored;
    std::filesystem::remove(result_file(capability), ignored);
  }
}

void check_capability(std::string_view key, bool found) {
  check_capability(key, std::string(found ? "yes" : "no"));
}

}  // namespace stagecraft::capability
