#include "server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

#include "conversation.h"

namespace {

using ClientPtr = std::unique_ptr<Client>;

// Clients for whom a worker is wanted. For all threads.
class Queue {
 public:
  void push(ClientPtr client) {
    const std::lock_guard lock(mutex_);
    clients_.push(std::move(client));
    not_empty_.notify_one();
  }

  ClientPtr pop() {
    std::unique_lock lock(mutex_);
    while (clients_.empty()) not_empty_.wait(lock);
    ClientPtr client = std::move(clients_.front());
    clients_.pop();
    return client;
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::queue<ClientPtr> clients_;
};

// Where clients wait until they say something: all of them in one call of poll(), on one thread.
class Parking {
 public:
  // A client that has nothing to say for now. From any thread.
  void park(ClientPtr client) {
    const std::lock_guard lock(mutex_);
    arriving_.push_back(std::move(client));
    // The poll() that is under way does not know of this client. This makes it return, and the next
    // one asks for the client as well. If none is under way, the next returns at once.
    const std::uint64_t one = 1;
    static_cast<void>(write(bell_, &one, sizeof one));
  }

  // Hands over to `ready` who has spoken, for ever. On one thread.
  void watch(Queue& ready) {
    for (;;) {
      std::vector<pollfd> asked{{bell_, POLLIN, 0}};
      for (const ClientPtr& client : parked_) asked.push_back({client->fd, POLLIN, 0});
      poll(asked.data(), asked.size(), -1);

      // Client i stands at i + 1. Handed over is anything that poll() says of it, also that it has
      // gone: a worker will find out. From then on the client is that worker's alone.
      std::vector<ClientPtr> silent;
      for (std::size_t i = 0; i < parked_.size(); ++i) {
        if (asked[i + 1].revents != 0) {
          ready.push(std::move(parked_[i]));
        } else {
          silent.push_back(std::move(parked_[i]));
        }
      }
      parked_ = std::move(silent);
      if (asked[0].revents != 0) take_in();
    }
  }

 private:
  // First the bell is silenced, then they are taken in: whoever arrives in between has rung again,
  // and is taken in now, or after a poll() that returns for nothing. In the other order somebody
  // could arrive after the taking, and the bell that told of it be silenced.
  void take_in() {
    std::uint64_t rings = 0;
    static_cast<void>(read(bell_, &rings, sizeof rings));
    const std::lock_guard lock(mutex_);
    for (ClientPtr& client : arriving_) parked_.push_back(std::move(client));
    arriving_.clear();
  }

  const int bell_ = eventfd(0, EFD_CLOEXEC);
  std::vector<ClientPtr> parked_;  // of the thread in watch() alone

  std::mutex mutex_;
  std::vector<ClientPtr> arriving_;  // parked, but poll() is not asked for them yet
};

// A worker: one turn for each client that has spoken, so that recv() does not wait.
void work(Queue& ready, Parking& parking) {
  for (;;) {
    ClientPtr client = ready.pop();
    if (!serve_once(*client)) client->half_request.clear();
    parking.park(std::move(client));
  }
}

}  // namespace

void serve(int listener, std::size_t workers) {
  Queue ready;
  Parking parking;
  std::vector<std::thread> threads;
  while (threads.size() < workers) threads.emplace_back([&] { work(ready, parking); });
  threads.emplace_back([&] { parking.watch(ready); });
  for (;;) {
    const int fd = accept(listener, nullptr, nullptr);
    if (fd >= 0) parking.park(std::make_unique<Client>(fd));
  }
}
