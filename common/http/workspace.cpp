#include "http/workspace.h"

#include <algorithm>

#include "base/http_date.h"
#include "http/exchange.h"

namespace stagecraft {
namespace {

// How many Exchanges wait unused. More would only keep memory from a peak long past.
constexpr std::size_t max_spare = 64;

}  // namespace

Workspace::Workspace(const Limits& limits, Common& common, Observer* observer)
    : limits_(limits), observer_(observer), common_(common) {
  spare_.reserve(max_spare);  // so that giving back cannot fail
  spare_.push_back(std::make_unique<Exchange>(limits_));
  set_time(0);
}

Workspace::~Workspace() = default;

void Workspace::set_time(std::time_t now) {
  if (now == time_) return;
  time_ = now;
  char* p = common_fields_.data();
  const auto put = [&p](std::string_view text) { p = std::copy(text.begin(), text.end(), p); };
  put("Server: stagecraft\r\nDate: ");
  const HttpDate date = http_date(now);
  put({date.data(), date.size()});
  put("\r\n");
  common_fields_size_ = static_cast<std::size_t>(p - common_fields_.data());
}

Exchange* Workspace::borrow() {
  if (spare_.empty()) return std::make_unique<Exchange>(limits_).release();
  Exchange* exchange = spare_.back().release();
  spare_.pop_back();
  return exchange;
}

void Workspace::give_back(Exchange* exchange) noexcept {
  std::unique_ptr<Exchange> owned(exchange);
  if (spare_.size() == max_spare) return;
  owned->reset();
  spare_.push_back(std::move(owned));
}

Snapshot& Workspace::enter_application() {
  if (replaced()) take_current();
  ++current_->requests;
  return *current_;
}

void Workspace::take_current() {
  auto next = std::make_unique<Snapshot>();
  replaced_.reserve(replaced_.size() + 1);
  auto [application, generation] = common_.application.current();
  next->application = std::move(application);
  current_.swap(next);
  generation_ = generation;
  if (next && next->requests > 0) replaced_.push_back(std::move(next));
}

void Workspace::leave_application(Snapshot& snapshot) noexcept {
  if (--snapshot.requests > 0) return;
  if (&snapshot == current_.get()) return drop_replaced();
  const auto is_left = [&snapshot](const auto& each) { return each.get() == &snapshot; };
  replaced_.erase(std::find_if(replaced_.begin(), replaced_.end(), is_left));
}

void Workspace::drop_replaced() noexcept {
  if (!replaced() || !current_ || current_->requests > 0) return;
  current_.reset();
  generation_ = 0;  // none: the next request takes what holds then
}

}  // namespace stagecraft
