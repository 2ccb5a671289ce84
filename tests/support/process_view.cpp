#include "support/process_view.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "support/deadline.h"

namespace stagecraft::testing {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(pid_t process) { return fs::path("/proc") / std::to_string(process); }

// Empty if there is no such file: a thread or a process can end at any time.
std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The word after `name` and a colon, in files of lines such as `State:  S (sleeping)`.
std::string value_of(std::string_view text, const std::string& name) {
  const std::size_t line = ("\n" + std::string(text)).find("\n" + name + ":");
  if (line == std::string::npos) return "";
  std::istringstream rest(std::string(text.substr(line + name.size() + 1)));
  std::string word;
  rest >> word;
  return word;
}

std::uint64_t number_of(std::string_view text, const std::string& name, int base = 10) {
  return std::strtoull(value_of(text, name).c_str(), nullptr, base);
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::error_code gone;
  std::vector<fs::path> found;
  for (fs::directory_iterator each(folder, gone), end; !gone && each != end; each.increment(gone)) {
    found.push_back(each->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<ThreadView> threads_of(pid_t process) {
  std::vector<ThreadView> threads;
  for (const fs::path& folder : entries(folder_of(process) / "task")) {
    const std::string status = contents(folder / "status");
    if (status.empty()) continue;
    threads.push_back({static_cast<pid_t>(number_of(status, "Pid")),
                       value_of(status, "State") == "S",
                       number_of(status, "voluntary_ctxt_switches") +
                           number_of(status, "nonvoluntary_ctxt_switches")});
  }
  return threads;
}

// The threads are not looked at all at once, and one may have woken another meanwhile. But a thread
// that sleeps with the same count in two looks slept all the time between them, and if that holds
// of all, then they all slept at the moment at which the first look was over.
bool at_rest(pid_t process) {
  const auto asleep = [](const ThreadView& thread) { return thread.asleep; };
  const std::vector<ThreadView> before = threads_of(process);
  if (before.empty() || !std::all_of(before.begin(), before.end(), asleep)) return false;
  return threads_of(process) == before;
}

void wait_until_at_rest(pid_t process) {
  const Deadline deadline;
  while (!at_rest(process)) {
    if (deadline.passed())
      throw std::runtime_error("the server does not come to rest: it spins, or has ended");
    sched_yield();
  }
}

std::uint64_t switches_of(pid_t process) {
  const std::vector<ThreadView> threads = threads_of(process);
  return std::accumulate(threads.begin(), threads.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const ThreadView& t) { return sum + t.switches; });
}

std::size_t descriptors_of(pid_t process) { return entries(folder_of(process) / "fd").size(); }

std::size_t private_memory_bytes_of(pid_t process) {
  constexpr std::size_t kibibyte = 1024;
  return number_of(contents(folder_of(process) / "status"), "RssAnon") * kibibyte;
}

std::chrono::milliseconds processor_time_of(pid_t process) {
  const std::string stat = contents(folder_of(process) / "stat");
  // The second field is the program's name in brackets, which may itself have blanks in it.
  std::istringstream rest(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
  constexpr int fields_before = 11;  // of the time in user mode, counted from the third field on
  std::string skipped;
  for (int i = 0; i < fields_before; ++i) rest >> skipped;
  long user = 0;
  long system = 0;
  rest >> user >> system;
  return std::chrono::milliseconds((user + system) * 1000 / sysconf(_SC_CLK_TCK));
}

bool signal_pending(pid_t process, int signal) {
  const std::string status = contents(folder_of(process) / "status");
  const std::uint64_t pending = number_of(status, "ShdPnd", 16) | number_of(status, "SigPnd", 16);
  return ((pending >> static_cast<unsigned>(signal - 1)) & 1U) != 0;
}

}  // namespace stagecraft::testing
