#include "fake_socket.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <span>
#include <stdexcept>

// The functions at the end take the place of the C library's, since the program is searched first.
// They reach those that would have been called, the sanitizers' included, by RTLD_NEXT.
namespace stagecraft::exercise {
namespace {

constexpr std::size_t most_descriptors = 4096;
std::array<std::atomic<FakeSocket*>, most_descriptors> fakes;
std::atomic<std::size_t> polls = 0;

FakeSocket* fake_of(int descriptor) {
  const auto index = static_cast<std::size_t>(descriptor);
  return descriptor >= 0 && index < most_descriptors ? fakes[index].load() : nullptr;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool any_fake(std::span<pollfd> entries) {
  return std::any_of(entries.begin(), entries.end(),
                     [](const pollfd& entry) { return fake_of(entry.fd) != nullptr; });
}

// Fills in what holds now, for the fakes among them; how many have something.
int look(std::span<pollfd> entries) {
  int ready = 0;
  for (pollfd& entry : entries) {
    FakeSocket* const fake = fake_of(entry.fd);
    entry.revents = fake != nullptr ? fake->ready(entry.events) : short{0};
    if (entry.revents != 0) ++ready;
  }
  return ready;
}

// Lets the next thing happen that one of the fakes has in store. False: there is none.
bool something_happens(std::span<pollfd> entries) {
  return std::any_of(entries.begin(), entries.end(), [](const pollfd& entry) {
    FakeSocket* const fake = fake_of(entry.fd);
    return fake != nullptr && fake->happens_next();
  });
}

int accept_fake(FakeSocket& listener, int flags) {
  const int client = listener.accepted();
  if (FakeSocket* const fake = fake_of(client)) fake->set_nonblocking((flags & SOCK_NONBLOCK) != 0);
  return client;
}

}  // namespace

int FakeSocket::accepted() {
  errno = EINVAL;
  return -1;
}

std::size_t polls_so_far() { return polls; }

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

using stagecraft::exercise::accept_fake;
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

int accept(int descriptor, sockaddr* address, socklen_t* size) {
  static const auto real = next<int (*)(int, sockaddr*, socklen_t*)>("accept");
  FakeSocket* const fake = fake_of(descriptor);
  return fake != nullptr ? accept_fake(*fake, 0) : real(descriptor, address, size);
}

int accept4(int descriptor, sockaddr* address, socklen_t* size, int flags) {
  static const auto real = next<int (*)(int, sockaddr*, socklen_t*, int)>("accept4");
  FakeSocket* const fake = fake_of(descriptor);
  return fake != nullptr ? accept_fake(*fake, flags) : real(descriptor, address, size, flags);
}

int fcntl(int descriptor, int command, ...) {
  static const auto real = next<int (*)(int, int, ...)>("fcntl");
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);  // whatever it is: it fits
  va_end(arguments);
  FakeSocket* const fake = fake_of(descriptor);
  if (fake == nullptr || (command != F_GETFL && command != F_SETFL))
    return real(descriptor, command, argument);
  if (command == F_GETFL) return O_RDWR | (fake->nonblocking() ? O_NONBLOCK : 0);
  fake->set_nonblocking((reinterpret_cast<std::uintptr_t>(argument) & O_NONBLOCK) != 0);
  return 0;
}

int poll(pollfd* first, nfds_t count, int timeout_ms) {
  static const auto real = next<int (*)(pollfd*, nfds_t, int)>("poll");
  const std::span entries(first, count);
  if (!stagecraft::exercise::any_fake(entries)) return real(first, count, timeout_ms);
  ++stagecraft::exercise::polls;
  int ready = stagecraft::exercise::look(entries);
  while (ready == 0 && timeout_ms < 0) {
    if (!stagecraft::exercise::something_happens(entries))
      throw stagecraft::exercise::Stuck{"poll() waits for ever: nothing it asks for will happen"};
    ready = stagecraft::exercise::look(entries);
  }
  return ready;
}

}  // extern "C"
