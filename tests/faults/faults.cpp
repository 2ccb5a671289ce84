#include "faults/faults.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "support/deadline.h"

namespace stagecraft::faults {
namespace {

template <typename Condition>
void wait_until(Condition condition, const char* what) {
  const testing::Deadline deadline;
  while (!condition()) {
    if (deadline.passed()) throw std::runtime_error(std::string("in time there was no ") + what);
    sched_yield();
  }
}

}  // namespace

Faults::Faults() : path_(folder_.write("page", std::string(sizeof(Page), '\0'))) {
  if (::mkfifo((path_ + ".go").c_str(), 0600) != 0) throw std::runtime_error("mkfifo failed");
  const int fd = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  void* const memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (memory == MAP_FAILED) throw std::runtime_error("mmap failed");
  page_ = static_cast<Page*>(memory);
}

Faults::~Faults() {
  disarm();
  if (page_->held != 0) let_go();
  ::munmap(page_, sizeof(Page));
}

// The address sanitizer wants to be the first library of a program. That the calls come through us
// before does no harm: we pass them on to it.
std::vector<std::string> Faults::launcher() const {
  const char* const options = std::getenv("ASAN_OPTIONS");
  return {"/usr/bin/env", "STAGECRAFT_FAULTS=" + path_, "LD_PRELOAD=" STAGECRAFT_FAULTS_LIBRARY,
          "ASAN_OPTIONS=verify_asan_link_order=0:" + std::string(options ? options : "")};
}

void Faults::arm(Call call, std::int64_t what, std::int64_t first, std::int64_t times) {
  disarm();
  page_->what = what;
  page_->first = first;
  page_->times = times;
  page_->seen = 0;
  page_->struck = 0;
  page_->call = static_cast<std::int64_t>(call);
}

void Faults::disarm() { page_->call = static_cast<std::int64_t>(Call::none); }

void Faults::wait_until_struck() const {
  wait_until([this] { return page_->struck > 0; }, "call that could fail");
}

void Faults::wait_until_held() const {
  wait_until([this] { return page_->held == 1; }, "call to hold");
}

std::int64_t Faults::let_go() {
  const int fd = ::open((path_ + ".go").c_str(), O_WRONLY | O_CLOEXEC);
  wait_until([this] { return page_->held == 0; }, "end of the call that was held");
  ::close(fd);
  return page_->result;
}

}  // namespace stagecraft::faults
