// A library that stands between a server and the C library (LD_PRELOAD, man 8 ld.so): it lets the
// k-th call of a kind fail as the manual says that it may, and passes on all others.
//
// STAGECRAFT_FAULTS names the file with the page. STAGECRAFT_FAULTS_SIGNALS, if it is set, lets
// SIGUSR1 interrupt every thread of the server, which would block it otherwise.

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "faults/page.h"

namespace {

using stagecraft::faults::Call;
using stagecraft::faults::Page;
using stagecraft::faults::What;

using Main = int(int, char**, char**);

Page* page = nullptr;
Main* program_main = nullptr;
bool in_main = false;  // nobody could catch what is thrown before
std::array<char, 4096> fifo{};
bool signals_interrupt = false;
thread_local std::int64_t starving = 0;  // how many allocations of this thread are still to fail

// Which descriptors are eventfds. A number beyond is none: nobody tests with so many.
std::array<std::atomic<bool>, 4096> is_eventfd{};

bool wakes(int fd) {
  return fd >= 0 && static_cast<std::size_t>(fd) < is_eventfd.size() &&
         is_eventfd[static_cast<std::size_t>(fd)];
}

/// The function of this name that would have been called without us.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// What shall happen to this call. Counts it.
std::int64_t fate(Call call) {
  if (!in_main || page == nullptr) return What::nothing;
  if (page->call != static_cast<std::int64_t>(call)) return What::nothing;
  const std::int64_t number = ++page->seen;
  if (number < page->first || number >= page->first + page->times) return What::nothing;
  ++page->struck;
  starving = page->starve;
  return page->what;
}

/// Waits until the test opens the other end.
void wait_at_fifo() {
  page->held = 1;
  const auto fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, fifo.data(), O_RDONLY));
  ::syscall(SYS_close, fd);
}

/// Does what the page wants to a call that returns -1 when it fails. `real` is asked for all of it,
/// or, if told so, for a part.
template <typename Real>
auto faulty(Call call, Real real) {
  using Result = decltype(real(false));
  const std::int64_t what = fate(call);
  if (what == What::nothing) return real(false);
  if (what == What::short_count) return real(true);
  if (what == What::hold) {
    wait_at_fifo();
    const Result result = real(false);
    page->result = result < 0 ? -errno : static_cast<std::int64_t>(result);
    page->held = 0;
    return result;
  }
  errno = static_cast<int>(what);
  return static_cast<Result>(-1);
}

void do_nothing(int /*signal*/) {}

int run_main(int argument_count, char** arguments, char** environment) {
  in_main = true;
  return program_main(argument_count, arguments, environment);
}

__attribute__((constructor)) void begin() {
  const char* const path = std::getenv("STAGECRAFT_FAULTS");
  if (path == nullptr || std::strlen(path) + 4 > fifo.size()) return;
  std::strcpy(fifo.data(), path);
  std::strcat(fifo.data(), ".go");
  if (std::getenv("STAGECRAFT_FAULTS_SIGNALS") != nullptr) {
    signals_interrupt = true;
    struct sigaction action {};
    action.sa_handler = do_nothing;  // and no SA_RESTART: calls are to be interrupted
    ::sigaction(SIGUSR1, &action, nullptr);
  }
  const auto fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC));
  if (fd < 0) return;
  void* const memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::syscall(SYS_close, fd);
  if (memory != MAP_FAILED) page = static_cast<Page*>(memory);
}

/// operator new as `name` has it, or a lack of memory.
template <typename Real, typename... Arguments>
void* allocate(Real real, Arguments... arguments) {
  if (starving > 0) {
    --starving;
    throw std::bad_alloc();
  }
  if (fate(Call::memory) != What::nothing) throw std::bad_alloc();
  return real(arguments...);
}

void put_forward(clockid_t clock, timespec& time) {
  if (page != nullptr && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    time.tv_sec += page->clock_offset_s;
  }
}

}  // namespace

// --- Memory ---

void* operator new(std::size_t size) {
  static auto* const real = next<void*(std::size_t)>("_Znwm");
  return allocate(real, size);
}

void* operator new[](std::size_t size) {
  static auto* const real = next<void*(std::size_t)>("_Znam");
  return allocate(real, size);
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  static auto* const real = next<void*(std::size_t, std::align_val_t)>("_ZnwmSt11align_val_t");
  return allocate(real, size, alignment);
}

// The C library's own declarations say which of these throw nothing.
extern "C" {

// By this the C library starts a program: first what is constructed before main(), then main().
int __libc_start_main(Main* main, int argument_count, char** arguments, void (*begin)(),
                      void (*end)(), void (*loader_end)(), void* stack) {
  static auto* const real =
      next<int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*)>("__libc_start_main");
  program_main = main;
  return real(run_main, argument_count, arguments, begin, end, loader_end, stack);
}

// --- Sockets ---

int accept4(int fd, sockaddr* address, socklen_t* size, int flags) {
  static auto* const real = next<int(int, sockaddr*, socklen_t*, int)>("accept4");
  return faulty(Call::accept, [&](bool) { return real(fd, address, size, flags); });
}

ssize_t recv(int fd, void* room, std::size_t size, int flags) {
  static auto* const real = next<ssize_t(int, void*, std::size_t, int)>("recv");
  return faulty(Call::receive, [&](bool part) {
    return real(fd, room, part ? std::min<std::size_t>(size, 1) : size, flags);
  });
}

ssize_t send(int fd, const void* bytes, std::size_t size, int flags) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t, int)>("send");
  return faulty(Call::send, [&](bool part) {
    return real(fd, bytes, part ? std::min<std::size_t>(size, 1) : size, flags);
  });
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  static auto* const real = next<ssize_t(int, const msghdr*, int)>("sendmsg");
  return faulty(Call::send, [&](bool part) {
    if (!part) return real(fd, message, flags);
    iovec first = message->msg_iov[0];
    first.iov_len = std::min<std::size_t>(first.iov_len, 1);
    msghdr shorter = *message;
    shorter.msg_iov = &first;
    shorter.msg_iovlen = 1;
    return real(fd, &shorter, flags);
  });
}

ssize_t sendfile(int to, int from, off_t* offset, std::size_t size) noexcept {
  static auto* const real = next<ssize_t(int, int, off_t*, std::size_t)>("sendfile");
  return faulty(Call::send_file, [&](bool part) {
    return real(to, from, offset, part ? std::min<std::size_t>(size, 1) : size);
  });
}

int socket(int domain, int type, int protocol) noexcept {
  static auto* const real = next<int(int, int, int)>("socket");
  return faulty(Call::descriptor, [&](bool) { return real(domain, type, protocol); });
}

// --- Readiness ---

int poll(pollfd* entries, nfds_t count, int timeout_ms) {
  static auto* const real = next<int(pollfd*, nfds_t, int)>("poll");
  return faulty(Call::poll, [&](bool) { return real(entries, count, timeout_ms); });
}

int epoll_create1(int flags) noexcept {
  static auto* const real = next<int(int)>("epoll_create1");
  return faulty(Call::descriptor, [&](bool) { return real(flags); });
}

int epoll_wait(int fd, epoll_event* events, int room, int timeout_ms) {
  static auto* const real = next<int(int, epoll_event*, int, int)>("epoll_wait");
  return faulty(Call::epoll_wait, [&](bool) { return real(fd, events, room, timeout_ms); });
}

int epoll_ctl(int fd, int operation, int subject, epoll_event* event) noexcept {
  static auto* const real = next<int(int, int, int, epoll_event*)>("epoll_ctl");
  const auto call = [&](bool) { return real(fd, operation, subject, event); };
  if (operation == EPOLL_CTL_ADD) return faulty(Call::epoll_add, call);
  if (operation == EPOLL_CTL_MOD) return faulty(Call::epoll_change, call);
  return call(false);
}

int eventfd(unsigned int count, int flags) noexcept {
  static auto* const real = next<int(unsigned int, int)>("eventfd");
  const int fd = faulty(Call::descriptor, [&](bool) { return real(count, flags); });
  if (fd >= 0 && static_cast<std::size_t>(fd) < is_eventfd.size()) {
    is_eventfd[static_cast<std::size_t>(fd)] = true;
  }
  return fd;
}

// --- Files ---

ssize_t write(int fd, const void* bytes, std::size_t size) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
  const bool wake_up = wakes(fd);
  return faulty(wake_up ? Call::wake_up : Call::log, [&](bool part) {
    return real(fd, bytes, part && !wake_up ? std::min<std::size_t>(size, 1) : size);
  });
}

ssize_t read(int fd, void* room, std::size_t size) {
  static auto* const real = next<ssize_t(int, void*, std::size_t)>("read");
  if (!wakes(fd)) return real(fd, room, size);
  return faulty(Call::acknowledge, [&](bool) { return real(fd, room, size); });
}

int close(int fd) {
  static auto* const real = next<int(int)>("close");
  if (wakes(fd)) is_eventfd[static_cast<std::size_t>(fd)] = false;
  return real(fd);
}

int open(const char* path, int flags, ...) {
  static auto* const real = next<int(const char*, int, mode_t)>("open");
  std::va_list arguments;
  va_start(arguments, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return faulty(Call::open, [&](bool) { return real(path, flags, mode); });
}

int openat(int folder, const char* path, int flags, ...) {
  static auto* const real = next<int(int, const char*, int, mode_t)>("openat");
  std::va_list arguments;
  va_start(arguments, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return faulty(Call::open, [&](bool) { return real(folder, path, flags, mode); });
}

// openat2(2) has no function of its own in the C library.
long syscall(long number, ...) noexcept {
  static auto* const real = next<long(long, ...)>("syscall");
  std::va_list arguments;
  va_start(arguments, number);
  std::array<long, 6> words{};
  for (long& word : words) word = va_arg(arguments, long);
  va_end(arguments);
  const auto call = [&](bool) {
    return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  };
  return number == SYS_openat2 ? faulty(Call::open, call) : call(false);
}

int fstat(int fd, struct stat* about) noexcept {
  static auto* const real = next<int(int, struct stat*)>("fstat");
  return faulty(Call::file_status, [&](bool) { return real(fd, about); });
}

// --- Threads ---

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) noexcept {
  static auto* const real =
      next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  const std::int64_t what = fate(Call::thread);
  return what == What::nothing ? real(thread, attributes, body, argument) : static_cast<int>(what);
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  static auto* const real = next<int(int, const sigset_t*, sigset_t*)>("pthread_sigmask");
  if (!signals_interrupt || set == nullptr) return real(how, set, before);
  sigset_t others = *set;
  ::sigdelset(&others, SIGUSR1);
  return real(how, &others, before);
}

// --- The wall clock. The monotonic one is left alone: nobody can put that forward or back. ---

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  const int result = real(clock, time);
  if (result == 0) put_forward(clock, *time);
  return result;
}

std::time_t time(std::time_t* result) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
