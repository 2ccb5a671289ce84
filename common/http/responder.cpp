#include "http/responder.h"

#include <utility>

#include "http/application.h"

namespace stagecraft {

void LetterQueue::push(std::shared_ptr<Deferred> letter) noexcept {
  Deferred* added = letter.get();
  (first_ ? last_->next : first_) = std::move(letter);
  last_ = added;
}

std::shared_ptr<Deferred> LetterQueue::pop() noexcept {
  std::shared_ptr<Deferred> letter = std::move(first_);
  if (letter) first_ = std::move(letter->next);
  return letter;
}

LetterQueue::~LetterQueue() {
  // One by one: left to the pointers, a long queue would be destroyed by as deep a recursion.
  while (pop()) {
  }
}

void Resumer::resume() noexcept {
  if (letter_->posted.exchange(true, std::memory_order_acq_rel)) return;
  letter_->postbox->post(letter_);
}

Responder& Responder::operator=(Responder&& other) noexcept {
  std::swap(deferred_, other.deferred_);
  return *this;
}

Responder::~Responder() {
  if (!deferred_) return;
  Response response;
  try {
    error_page(response, Status::internal_server_error, "no answer was given");
  } catch (...) {  // no memory for the page: the bare status will do
    response.reset();
    response.status(Status::internal_server_error);
  }
  std::move(*this).send(std::move(response));
}

void Responder::send(Response response) && noexcept {
  const std::shared_ptr<Deferred> letter = std::move(deferred_);
  letter->response = std::move(response);
  letter->postbox->post(letter);
}

Resumer Responder::resumer() const {
  if (!deferred_->resume) {
    auto letter = std::make_shared<Deferred>();
    letter->ticket = deferred_->ticket;
    letter->kind = Deferred::Kind::resume;
    letter->postbox = deferred_->postbox;
    deferred_->resume = std::move(letter);
  }
  return Resumer(deferred_->resume);
}

}  // namespace stagecraft
