#include "unit/http/driver.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ostream>
#include <utility>

#include "catch.h"

namespace stagecraft::testing {

void Recorder::event(SessionEvent event, const ConnectionInfo& /*connection*/,
                     std::uint64_t bytes) noexcept {
  lines.push_back(std::string(name(event)) + ' ' + std::to_string(bytes));
}

void Recorder::answered(const ConnectionInfo& /*connection*/, const Request* request,
                        std::string_view pattern, Status status,
                        std::uint64_t body_bytes) noexcept {
  std::string line = "answered ";
  if (request == nullptr) {
    line += "?";
  } else {
    line += std::string(name(request->method())) + ' ' + std::string(request->path());
  }
  line += ' ' + std::string(pattern) + ' ' + std::to_string(code(status)) + ' ';
  lines.push_back(line + std::to_string(body_bytes));
}

Driver::Driver(Application application, const Limits& limits, Manner manner)
    : limits_(limits),
      manner_(manner),
      common_(std::move(application)),
      workspace_(limits_, common_, &recorder_) {
  connection_.id = 7;
  session_ = std::make_unique<Session>(limits_, workspace_, postbox_, connection_);
}

Driver::~Driver() {
  session_.reset();
  postbox_->close();
}

Driver& Driver::feed(std::string_view bytes) {
  input_ += bytes;
  return *this;
}

Driver& Driver::end_input() {
  input_ended_ = true;
  return *this;
}

Step Driver::step() {
  const Step step = session_->next();
  const std::uint32_t restarts = session_->restarts();
  REQUIRE(session_->next() == step);
  REQUIRE(session_->restarts() == restarts);
  return step;
}

void Driver::receive() {
  steps.push_back(Step::receive);
  if (input_.empty()) {
    REQUIRE(input_ended_);
    session_->received_end();
    return;
  }
  const std::span<char> room = session_->read_buffer();
  REQUIRE_FALSE(room.empty());
  const std::size_t most =
      received_ ? manner_.receive : std::min(manner_.first_receive, manner_.receive);
  received_ = true;
  const std::size_t size = std::min({most, room.size(), input_.size()});
  std::memcpy(room.data(), input_.data(), size);
  input_.erase(0, size);
  session_->received(size);
}

void Driver::handle() {
  steps.push_back(Step::handle);
  stagecraft::run(session_->route().handle, session_->request(), session_->response());
  session_->handled();
}

void Driver::send(std::size_t n) {
  steps.push_back(Step::send);
  const Output out = session_->output();
  std::size_t sent = 0;
  for (const iovec& piece : out.memory) {
    const std::size_t size = std::min(n - sent, piece.iov_len);
    output.append(static_cast<const char*>(piece.iov_base), size);
    sent += size;
  }
  if (out.file != nullptr && sent < n) {
    std::string bytes(std::min<std::size_t>(n - sent, out.file->length), '\0');
    const ssize_t got = ::pread(out.file->file.get(), bytes.data(), bytes.size(),
                                static_cast<off_t>(out.file->offset));
    REQUIRE(got == static_cast<ssize_t>(bytes.size()));
    output += bytes;
    sent += bytes.size();
  }
  REQUIRE(sent > 0);
  session_->sent(sent);
}

bool Driver::deliver() {
  const std::shared_ptr<Deferred> letter = postbox_->take();
  return letter != nullptr && session_->answer(*letter);
}

Step Driver::run_until(Step last) {
  for (;;) {
    const Step step = this->step();
    if (step == last) return step;
    switch (step) {
      case Step::receive:
        if (!input_.empty() || input_ended_) {
          receive();
        } else if (const auto letter = postbox_->take()) {
          session_->answer(*letter);
        } else {
          return step;
        }
        break;
      case Step::handle:
        handle();
        break;
      case Step::wait: {
        const std::shared_ptr<Deferred> letter = postbox_->take();
        if (!letter) return step;
        steps.push_back(step);
        session_->answer(*letter);
        break;
      }
      case Step::send:
        send(manner_.send);
        break;
      case Step::shut_down:
        steps.push_back(step);
        shut_down = true;
        session_->shut_down_done();
        break;
      case Step::close:
      case Step::reset:
        return step;
    }
  }
}

Step Driver::run() {
  // Step::close ends it anyway.
  return run_until(Step::close);
}

std::size_t Driver::count(Step step) const {
  return static_cast<std::size_t>(std::count(steps.begin(), steps.end(), step));
}

}  // namespace stagecraft::testing

namespace stagecraft {

std::ostream& operator<<(std::ostream& out, Step step) {
  constexpr std::array<std::string_view, 7> names{"receive",   "handle", "wait", "send",
                                                  "shut_down", "close",  "reset"};
  return out << "Step::" << names[static_cast<std::size_t>(step)];
}

std::ostream& operator<<(std::ostream& out, Timer timer) {
  constexpr std::array<std::string_view, 6> names{"idle",   "head", "body",
                                                  "answer", "send", "linger"};
  return out << "Timer::" << names[static_cast<std::size_t>(timer)];
}

}  // namespace stagecraft
