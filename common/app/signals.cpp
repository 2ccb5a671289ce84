#include "app/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <initializer_list>

namespace stagecraft {

SignalsBlocked::SignalsBlocked() noexcept {
  sigset_t all;
  sigfillset(&all);
  for (const int fault : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP}) {
    sigdelset(&all, fault);
  }
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

Termination::Termination() noexcept {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  sigset_t blocked = signals_;
  sigaddset(&blocked, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
}

void Termination::wait() noexcept {
  int signal_number = 0;
  sigwait(&signals_, &signal_number);
  over_ = true;
  // A shell starts a program in the background with SIGINT ignored; it still arrived above, since a
  // blocked signal waits even if nobody wants it, but the second one would be lost.
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
}

// Sent to the process and not to this thread, so that whoever waits for it gets it.
void Termination::request() noexcept {
  if (over_.exchange(true)) return;
  requested_ = true;
  kill(getpid(), SIGTERM);
}

}  // namespace stagecraft
