#include "server.h"

#include <sys/socket.h>

#include <condition_variable>
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

// A worker: one client after the other, each for as long as it stays.
void work(Queue& queue) {
  for (;;) {
    const ClientPtr client = queue.pop();
    while (serve_once(*client)) {
      // It is kept, and may ask again.
    }
  }
}

}  // namespace

void serve(int listener, std::size_t workers) {
  Queue queue;
  std::vector<std::thread> threads;
  while (threads.size() < workers) threads.emplace_back([&queue] { work(queue); });
  for (;;) {
    const int fd = accept(listener, nullptr, nullptr);
    if (fd >= 0) queue.push(std::make_unique<Client>(fd));
  }
}
