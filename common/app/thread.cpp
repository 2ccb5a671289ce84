#include "app/thread.h"

#include <cassert>
#include <memory>
#include <system_error>
#include <utility>

#include "app/signals.h"

namespace stagecraft {

namespace {

void* run_body(void* argument) {
  const std::unique_ptr<std::function<void()>> body(static_cast<std::function<void()>*>(argument));
  (*body)();
  return nullptr;
}

}  // namespace

Thread::Thread(std::size_t stack_size, std::function<void()> body) {
  auto argument = std::make_unique<std::function<void()>>(std::move(body));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack_size > 0) pthread_attr_setstacksize(&attributes, stack_size);
  const SignalsBlocked blocked;  // the new thread inherits this
  const int error = pthread_create(&thread_, &attributes, run_body, argument.get());
  pthread_attr_destroy(&attributes);
  if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_create");
  static_cast<void>(argument.release());  // the thread's now
  joinable_ = true;
}

Thread::Thread(Thread&& other) noexcept
    : thread_(other.thread_), joinable_(std::exchange(other.joinable_, false)) {}

Thread& Thread::operator=(Thread&& other) noexcept {
  assert(!joinable_);
  thread_ = other.thread_;
  joinable_ = std::exchange(other.joinable_, false);
  return *this;
}

Thread::~Thread() { assert(!joinable_); }

void Thread::join() {
  assert(joinable_);
  pthread_join(thread_, nullptr);
  joinable_ = false;
}

}  // namespace stagecraft
