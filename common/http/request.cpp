#include "http/request.h"

#include <array>
#include <cassert>

#include "http/exchange.h"

namespace stagecraft {

std::string_view name(Method method) {
  constexpr std::array<std::string_view, 10> names{"GET",     "HEAD",  "POST",  "PUT",     "DELETE",
                                                   "OPTIONS", "PATCH", "TRACE", "CONNECT", "?"};
  return names[static_cast<std::size_t>(method)];
}

Method Request::method() const { return exchange_->parser.head().method; }

int Request::minor_version() const { return exchange_->parser.head().minor_version; }

std::string_view Request::target() const {
  return exchange_->parser.head().target.of(exchange_->input.data());
}

std::string_view Request::path() const {
  if (exchange_->target.path_decoded) return exchange_->decoded_path;
  return exchange_->target.path.of(target().data());
}

std::string_view Request::query() const { return exchange_->target.query.of(target().data()); }

std::string_view Request::authority() const {
  const std::string_view of_target = exchange_->target.authority.of(target().data());
  if (!of_target.empty()) return of_target;
  return exchange_->parser.head().host.of(exchange_->input.data());
}

std::optional<std::string_view> Request::field(std::string_view name) const {
  const RequestHead& head = exchange_->parser.head();
  const char* bytes = exchange_->input.data();
  for (std::size_t i = 0; i < head.field_count; ++i) {
    const FieldLine& line = head.fields[i];
    if (equal_ignoring_case(line.name.of(bytes), name)) return line.value.of(bytes);
  }
  return std::nullopt;
}

Field Request::field_at(std::size_t index) const {
  assert(index < field_count());
  const FieldLine& line = exchange_->parser.head().fields[index];
  const char* bytes = exchange_->input.data();
  return {line.name.of(bytes), line.value.of(bytes)};
}

std::size_t Request::field_count() const { return exchange_->parser.head().field_count; }

Field Request::trailer_at(std::size_t index) const {
  assert(index < trailer_count());
  const FieldLine& line = exchange_->chunked.trailer(index);
  const char* bytes = exchange_->input.data() + exchange_->trailer_begin;
  return {line.name.of(bytes), line.value.of(bytes)};
}

std::size_t Request::trailer_count() const {
  const bool chunked = exchange_->parser.head().framing == Framing::chunked;
  return chunked ? exchange_->chunked.trailer_count() : 0;
}

bool Request::announces_body() const { return exchange_->parser.head().framing != Framing::none; }

std::string_view Request::body() const { return exchange_->body.view(); }

BodySink* Request::sink() const { return exchange_->sink.get(); }

const ConnectionInfo& Request::connection() const { return *exchange_->connection; }

Attributes& Request::attributes() const { return exchange_->attributes; }

std::uint32_t Request::number() const { return exchange_->number; }

}  // namespace stagecraft
