// Promises and their letters, without a session.
#include "http/responder.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catch.h"
#include "unit/http/fake_postbox.h"

using namespace stagecraft;
using stagecraft::testing::FakePostbox;

namespace {

std::shared_ptr<Deferred> letter_number(std::uint32_t request) {
  auto letter = std::make_shared<Deferred>();
  letter->ticket = {1, request};
  return letter;
}

Responder promise(const std::shared_ptr<FakePostbox>& postbox, std::uint32_t request) {
  auto letter = letter_number(request);
  letter->postbox = postbox;
  return Responder(std::move(letter));
}

}  // namespace

TEST_CASE("Letters come out in the order in which they went in") {
  LetterQueue queue;
  CHECK(queue.empty());
  CHECK(queue.pop() == nullptr);
  for (std::uint32_t i = 1; i <= 3; ++i) queue.push(letter_number(i));
  CHECK_FALSE(queue.empty());
  CHECK(queue.pop()->ticket.request == 1);
  queue.push(letter_number(4));
  CHECK(queue.pop()->ticket.request == 2);
  CHECK(queue.pop()->ticket.request == 3);
  const std::shared_ptr<Deferred> last = queue.pop();
  CHECK(last->ticket.request == 4);
  CHECK(queue.empty());
  CHECK(queue.pop() == nullptr);
  queue.push(last);  // as a resumer's letter is, again and again
  CHECK(queue.pop() == last);
  CHECK(queue.empty());
}

TEST_CASE("A long queue is destroyed without a deep recursion") {
  std::weak_ptr<Deferred> one;
  {
    LetterQueue queue;
    for (std::uint32_t i = 0; i < 1'000'000; ++i) {
      auto letter = letter_number(i);
      if (i == 500'000) one = letter;
      queue.push(std::move(letter));
    }
    CHECK_FALSE(one.expired());
  }
  CHECK(one.expired());
}

TEST_CASE("A promise is kept by one letter, with the answer in it") {
  const auto postbox = std::make_shared<FakePostbox>();
  Response response;
  response.status(Status::accepted);
  {
    Responder responder = promise(postbox, 5);
    std::move(responder).send(std::move(response));
  }
  CHECK(postbox->posted() == 1);
  const std::shared_ptr<Deferred> letter = postbox->take();
  CHECK(letter->ticket.request == 5);
  CHECK(letter->kind == Deferred::Kind::answer);
  CHECK(letter->response.status() == Status::accepted);
}

TEST_CASE("A promise that is dropped or overwritten posts 500") {
  const auto postbox = std::make_shared<FakePostbox>();
  { const Responder dropped = promise(postbox, 1); }
  CHECK(postbox->take()->response.status() == Status::internal_server_error);
  {
    Responder responder = promise(postbox, 2);
    responder = promise(postbox, 3);
    CHECK(postbox->posted() <= 2);
  }
  CHECK(postbox->posted() == 3);
  CHECK(postbox->take()->ticket.request == 2);
  CHECK(postbox->take()->ticket.request == 3);
  {
    Responder first = promise(postbox, 4);
    const Responder moved = std::move(first);
    CHECK(postbox->posted() == 3);
  }
  CHECK(postbox->posted() == 4);
  CHECK(postbox->take()->ticket.request == 4);
}

TEST_CASE("A promise knows when nobody waits any more") {
  const auto postbox = std::make_shared<FakePostbox>();
  auto letter = letter_number(1);
  letter->postbox = postbox;
  {
    const Responder responder(letter);
    CHECK_FALSE(responder.abandoned());
    letter->abandoned = true;
    CHECK(responder.abandoned());
  }
  postbox->close();
}

TEST_CASE("Promises are kept from many threads at once") {
  const auto postbox = std::make_shared<FakePostbox>();
  constexpr std::uint32_t each = 200;
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&postbox, thread] {
      for (std::uint32_t i = 0; i < each; ++i) {
        Response response;
        response.text(std::to_string(thread));
        Responder responder = promise(postbox, thread * each + i);
        if (i % 2 == 0) std::move(responder).send(std::move(response));  // the others are dropped
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<bool> seen(4 * each);
  while (const std::shared_ptr<Deferred> letter = postbox->take()) {
    CHECK_FALSE(seen.at(letter->ticket.request));
    seen.at(letter->ticket.request) = true;
  }
  CHECK(postbox->posted() == 4 * each);
}

TEST_CASE("A resumer is told that its letter is under way only until it has been read") {
  const auto postbox = std::make_shared<FakePostbox>();
  auto letter = letter_number(1);
  letter->kind = Deferred::Kind::resume;
  letter->postbox = postbox;
  Resumer resumer(letter);
  Resumer copy = resumer;
  resumer.resume();
  copy.resume();
  CHECK(postbox->posted() == 1);
  CHECK(postbox->take() == letter);
  letter->posted = false;  // what the session does when it reads it
  copy.resume();
  CHECK(postbox->posted() == 2);
  postbox->close();
}

TEST_CASE("All resumers of one promise share a letter") {
  const auto postbox = std::make_shared<FakePostbox>();
  {
    Responder responder = promise(postbox, 9);
    Resumer first = responder.resumer();
    Resumer second = responder.resumer();
    first.resume();
    second.resume();
    CHECK(postbox->posted() == 1);
    const std::shared_ptr<Deferred> letter = postbox->take();
    CHECK(letter->kind == Deferred::Kind::resume);
    CHECK(letter->ticket.request == 9);
  }
  postbox->close();
}
