// Lets the system calls of a server under test fail, one by one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faults/page.h"
#include "support/scratch_folder.h"

namespace stagecraft::faults {

/// The page of one server, and what starts it so that it obeys. Used by one thread.
class Faults {
 public:
  /// Throws std::runtime_error if the page cannot be made.
  Faults();
  ~Faults();
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  /// The words that start a program with the library between it and the system, to be put before it
  /// and its arguments.
  std::vector<std::string> launcher() const;

  /// From now on `what` (an errno, or a What) happens to the `first` call of a kind and the `times`
  /// - 1 behind it. Replaces what was said before.
  void arm(Call call, std::int64_t what, std::int64_t first = 1, std::int64_t times = 1);
  /// Besides, so many allocations fail that the same thread tries after that.
  void starve(std::int64_t allocations) { page_->starve = allocations; }
  /// Nothing happens any more.
  void disarm();

  /// To how many calls it has happened.
  std::int64_t struck() const { return page_->struck; }
  void wait_until_struck() const;

  /// For What::hold: waits until a call is being held, and lets it go; what it returned then.
  void wait_until_held() const;
  std::int64_t let_go();

  /// Puts the wall clock of the server forward, or back.
  void move_clock(std::int64_t seconds) { page_->clock_offset_s = seconds; }

 private:
  testing::ScratchFolder folder_;
  std::string path_;
  Page* page_ = nullptr;
};

}  // namespace stagecraft::faults
