#include "telling.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <utility>

#include "support/printable.h"

namespace stagecraft::exercise {
namespace {

// What a terminal shows of a text that differs: so much before the first byte that does, and after.
constexpr std::size_t shown_before = 40;
constexpr std::size_t shown_after = 36;

std::vector<Telling> stories;  // of the test case's thread only
Telling unwound;               // the one that an exception has ended, which is told afterwards

std::mutex transcript_mutex;
std::vector<std::string> transcript_lines;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// `bytes` around `at`, cut to what a line can show.
std::string excerpt(std::string_view bytes, std::size_t from, std::size_t at) {
  const std::string_view shown = bytes.substr(from, at - from + shown_after);
  const bool cut = from + shown.size() < bytes.size();
  return (from > 0 ? "..." : "") + testing::printable(shown) + (cut ? "..." : "");
}

}  // namespace

Story::Story(Telling telling) {
  stories.push_back(std::move(telling));
  unwound = {};
}

Story::~Story() {
  if (stories.empty()) return;  // the test case has ended before
  if (std::uncaught_exceptions() > 0 && unwound.did.empty()) unwound = stories.back();
  stories.pop_back();
}

Telling current_telling() { return stories.empty() ? unwound : stories.back(); }

void forget_telling() {
  stories.clear();
  unwound = {};
  forget_transcript();
}

void forget_transcript() {
  const std::lock_guard lock(transcript_mutex);
  transcript_lines.clear();
}

void note(std::string event) {
  const std::lock_guard lock(transcript_mutex);
  transcript_lines.push_back(std::move(event));
}

std::vector<std::string> transcript() {
  const std::lock_guard lock(transcript_mutex);
  return transcript_lines;
}

void not_judged(const std::string& reason) { throw NotJudged{reason}; }

std::string difference(std::string_view got, std::string_view expected) {
  if (got == expected) return "";
  const auto [mine, theirs] =
      std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  const auto at = static_cast<std::size_t>(mine - got.begin());
  const std::size_t from = at > shown_before ? at - shown_before : 0;
  const std::string before =
      (from > 0 ? "..." : "") + testing::printable(got.substr(from, at - from));
  std::ostringstream text;
  text << "expected  " << excerpt(expected, from, at) << "\n"
       << "got       " << excerpt(got, from, at) << "\n"
       << "          " << std::string(before.size(), ' ') << "^ byte " << at;
  if (at == got.size()) text << ": it ends here, " << expected.size() - at << " bytes too early";
  if (at == expected.size()) text << ": " << got.size() - at << " bytes too many";
  return text.str();
}

std::filesystem::path submitted_folder() { return environment("EXERCISE_FOLDER"); }

std::string submitted(const std::string& file) {
  std::ifstream in(submitted_folder() / file, std::ios::binary);
  if (!in) FAIL("there is no file " << file << " beside the others");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string program(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(environment("EXERCISE_PROGRAMS")) / name;
  if (!std::filesystem::exists(path)) FAIL("the program " << name << " was not built");
  return path.string();
}

unsigned seed() {
  return static_cast<unsigned>(std::strtoul(environment("EXERCISE_SEED").c_str(), nullptr, 10));
}

}  // namespace stagecraft::exercise
