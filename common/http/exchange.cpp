#include "http/exchange.h"

namespace stagecraft {

void Exchange::next_request() {
  input.consume(unread);
  unread = 0;
  parser.reset();
  route = nullptr;
  request_known = false;
  sink.reset();
  body.clear();
  body_bytes = 0;
  response.reset();
  attributes.clear();
}

void Exchange::reset() {
  // A block that one large body needed is not kept for the many small ones.
  constexpr std::size_t usual_size = 128 * KiB;
  input.clear();
  input.shrink(usual_size);
  output.clear();
  output.shrink(usual_size);
  unread = 0;
  next_request();
  body.shrink(usual_size);
  deferred.reset();
  large = {};
  reference = {};
  file = {};
  source.reset();
  raw_stream = nullptr;
  resume.reset();
  delivery = Delivery::done;
  connection = nullptr;
}

}  // namespace stagecraft
