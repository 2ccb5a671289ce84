// Correct as it is. With -DMISTAKE_MUTEX or -DMISTAKE_ROLE it breaks a rule that it states itself,
// and clang must refuse it (see CMakeLists.txt).
#include "base/thread_annotations.h"

namespace {

class Counter {
 public:
  void add() {
#ifndef MISTAKE_MUTEX
    const stagecraft::MutexLock lock(mutex_);
#endif
    ++count_;
  }

 private:
  stagecraft::Mutex mutex_;
  int count_ GUARDED_BY(mutex_) = 0;
};

class Loop {
 public:
  void run() {
#ifndef MISTAKE_ROLE
    loop_thread_.bind();
#endif
    turn();
  }

 private:
  void turn() REQUIRES(loop_thread_) { ++turns_; }

  stagecraft::ThreadRole loop_thread_;
  int turns_ GUARDED_BY(loop_thread_) = 0;
};

}  // namespace

int main() {
  Counter().add();
  Loop().run();
}
