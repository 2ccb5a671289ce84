#include "http/workspace.h"

#include <algorithm>

#include "base/http_date.h"
#include "http/exchange.h"

namespace stagecraft {
namespace {

// How many Exchanges wait unused. More would only keep memory from a peak long past.
constexpr std::size_t max_spare = 64;

}  // namespace

Workspace::Workspace(const Limits& limits, Observer* observer, Common* common)
    : limits_(limits), observer_(observer), common_(common != nullptr ? *common : own_common_) {
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

}  // namespace stagecraft
