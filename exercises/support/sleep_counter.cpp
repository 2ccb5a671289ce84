#include "sleep_counter.h"

#include <dlfcn.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "exercise.h"

namespace stagecraft::exercise {
namespace {

std::atomic<bool> counting = false;
std::atomic<int> counted = 0;

// Whether the call is only counted.
bool counts(const char* call) {
  if (!counting) return false;
  ++counted;
  note(std::string(call) + ": sleeps");
  return true;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

SleepCounter::SleepCounter() {
  counted = 0;
  counting = true;
}

SleepCounter::~SleepCounter() { counting = false; }

int SleepCounter::calls() const { return counted; }

}  // namespace stagecraft::exercise

using stagecraft::exercise::counts;
using stagecraft::exercise::next;

// They take the place of the C library's, since the program is searched first.
extern "C" {

int nanosleep(const timespec* time, timespec* left) {
  static const auto real = next<int (*)(const timespec*, timespec*)>("nanosleep");
  return counts("nanosleep") ? 0 : real(time, left);
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  static const auto real =
      next<int (*)(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  return counts("clock_nanosleep") ? 0 : real(clock, flags, time, left);
}

int usleep(useconds_t time_us) {
  static const auto real = next<int (*)(useconds_t)>("usleep");
  return counts("usleep") ? 0 : real(time_us);
}

unsigned sleep(unsigned time_s) {
  static const auto real = next<unsigned (*)(unsigned)>("sleep");
  return counts("sleep") ? 0 : real(time_s);
}

int select(int count, fd_set* reading, fd_set* writing, fd_set* other, timeval* timeout) {
  static const auto real = next<int (*)(int, fd_set*, fd_set*, fd_set*, timeval*)>("select");
  return counts("select") ? 0 : real(count, reading, writing, other, timeout);
}

}  // extern "C"
