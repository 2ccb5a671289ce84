#include "fake_socket.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <span>
#include <stdexcept>

// The functions at the end take the place of the C library's, since the program is searched first.
// They reach those that would have been called, the sanitizers' included, by RTLD_NEXT.
namespace stagecraft::exercise {
namespace {

constexpr std::size_t most_descriptors = 4096;
std::array<std::atomic<FakeSocket*>, most_descriptors> fakes;

FakeSocket* fake_of(int descriptor) {
  const auto index = static_cast<std::size_t>(descriptor);
  return descriptor >= 0 && index < most_descriptors ? fakes[index].load() : nullptr;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

FakeSocket::FakeSocket() {
  // It can neither be read nor written: a call that is not answered here fails and does not wait.
  descriptor_ = open("/", O_PATH | O_CLOEXEC);
  if (descriptor_ < 0 || static_cast<std::size_t>(descriptor_) >= most_descriptors)
    throw std::runtime_error("there is no descriptor for a test");
  fakes[static_cast<std::size_t>(descriptor_)] = this;
}

FakeSocket::~FakeSocket() {
  fakes[static_cast<std::size_t>(descriptor_)] = nullptr;
  ::close(descriptor_);
}

}  // namespace stagecraft::exercise

using stagecraft::exercise::fake_of;
using stagecraft::exercise::FakeSocket;
using stagecraft::exercise::next;

extern "C" {

ssize_t read(int descriptor, void* to, size_t most) {
  static const auto real = next<ssize_t (*)(int, void*, size_t)>("read");
  FakeSocket* const fake = fake_of(descriptor);
  return fake != nullptr ? fake->received(to, most, 0) : real(descriptor, to, most);
}

ssize_t recv(int descriptor, void* to, size_t most, int flags) {
  static const auto real = next<ssize_t (*)(int, void*, size_t, int)>("recv");
  FakeSocket* const fake = fake_of(descriptor);
  return fake != nullptr ? fake->received(to, most, flags) : real(descriptor, to, most, flags);
}

ssize_t write(int descriptor, const void* from, size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  FakeSocket* const fake = fake_of(descriptor);
  return fake != nullptr ? fake->sent(from, size, 0) : real(descriptor, from, size);
}

ssize_t send(int descriptor, const void* from, size_t size, int flags) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, int)>("send");
  FakeSocket* const fake = fake_of(descriptor);
  return fake != nullptr ? fake->sent(from, size, flags) : real(descriptor, from, size, flags);
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  static const auto real = next<ssize_t (*)(int, const iovec*, int)>("writev");
  FakeSocket* const fake = fake_of(descriptor);
  if (fake == nullptr) return real(descriptor, parts, count);
  std::string whole;
  for (const iovec& part : std::span(parts, static_cast<size_t>(count)))
    whole.append(static_cast<const char*>(part.iov_base), part.iov_len);
  return fake->sent(whole.data(), whole.size(), 0);
}

int shutdown(int descriptor, int how) noexcept {
  static const auto real = next<int (*)(int, int)>("shutdown");
  FakeSocket* const fake = fake_of(descriptor);
  return fake != nullptr ? fake->shut_down(how) : real(descriptor, how);
}

int close(int descriptor) {
  static const auto real = next<int (*)(int)>("close");
  FakeSocket* const fake = fake_of(descriptor);
  return fake != nullptr ? fake->closed() : real(descriptor);
}

int poll(pollfd* entries, nfds_t count, int timeout_ms) {
  static const auto real = next<int (*)(pollfd*, nfds_t, int)>("poll");
  int ready = 0;
  bool any_fake = false;
  for (pollfd& entry : std::span(entries, count)) {
    FakeSocket* const fake = fake_of(entry.fd);
    if (fake == nullptr) continue;
    any_fake = true;
    entry.revents = fake->ready(entry.events);
    if (entry.revents != 0) ++ready;
  }
  if (!any_fake) return real(entries, count, timeout_ms);
  if (ready == 0 && timeout_ms < 0)
    throw stagecraft::exercise::Stuck{"poll() waits for ever: nothing it asks for will happen"};
  return ready;
}

}  // extern "C"
