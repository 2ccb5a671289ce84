// Whatever the bytes are, a parser says the same of them whole and in pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "http/chunked_decoder.h"
#include "http/request_parser.h"
#include "http/request_target.h"

namespace {

using namespace stagecraft;

void require(bool holds) {
  if (!holds) std::abort();
}

// A block of exactly this size, so that reading behind it is noticed.
std::vector<char> copy(std::string_view bytes) { return {bytes.begin(), bytes.end()}; }

void check_head(const Limits& limits, std::string_view bytes) {
  RequestParser whole(limits);
  const std::vector<char> all = copy(bytes);
  const Progress progress = whole.parse(all.data(), all.size());

  RequestParser bytewise(limits);
  Progress last = Progress::incomplete;
  for (std::size_t size = 1; size <= bytes.size() && last == Progress::incomplete; ++size) {
    const std::vector<char> there = copy(bytes.substr(0, size));
    last = bytewise.parse(there.data(), there.size());
  }
  require(bytes.empty() || progress == last);
  require(whole.error() == bytewise.error() && whole.reason() == bytewise.reason());
  if (progress != Progress::complete) return;

  const RequestHead& head = whole.head();
  require(head.size <= bytes.size() && head.size == bytewise.head().size);
  require(head.field_count == bytewise.head().field_count);
  require(head.field_count <= limits.max_fields);
  for (std::size_t i = 0; i < head.field_count; ++i) {
    const FieldLine& line = head.fields[i];
    require(!line.name.of(all.data()).empty());
    require(line.value.offset + line.value.size < head.size);
  }
  RequestTarget target;
  std::string decoded;
  std::string_view reason;
  if (parse_target(head.method, {all.data(), head.size}, head.target, target, decoded, reason) !=
      Status::none) {
    require(!reason.empty());
  } else if (target.path_decoded) {
    require(decoded.starts_with('/'));
    require((decoded + '/').find("/../") == std::string::npos);
  }
}

struct Decoded {
  Progress progress = Progress::incomplete;
  Status error = Status::none;
  std::string data;
  std::size_t used = 0;
};

Decoded decode(const Limits& limits, std::string_view bytes, std::size_t piece) {
  ChunkedDecoder decoder(limits);
  decoder.reset();
  Decoded decoded;
  for (std::size_t end = piece;; end += piece) {
    end = std::min(end, bytes.size());
    for (;;) {
      const std::vector<char> there = copy(bytes.substr(decoded.used, end - decoded.used));
      const ChunkedDecoder::Result result = decoder.decode({there.data(), there.size()});
      require(result.used <= there.size());
      decoded.used += result.used;
      decoded.data += result.data;
      decoded.progress = result.progress;
      decoded.error = decoder.error();
      if (result.progress != Progress::incomplete) return decoded;
      if (result.used == 0) break;
    }
    if (end == bytes.size()) return decoded;
  }
}

void check_chunked(const Limits& limits, std::string_view bytes) {
  const Decoded whole = decode(limits, bytes, bytes.size());
  const Decoded bytewise = decode(limits, bytes, 1);
  require(whole.progress == bytewise.progress && whole.error == bytewise.error);
  if (whole.progress == Progress::complete) {
    require(whole.data == bytewise.data && whole.used == bytewise.used);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(data, data + size);
  Limits small;
  small.max_request_line = 40;
  small.max_head_size = 200;
  small.max_fields = 5;
  small.max_chunk_overhead = 50;
  small.max_trailer_size = 40;
  for (const Limits& limits : {Limits{}, small}) {
    check_head(limits, bytes);
    check_chunked(limits, bytes);
  }
  return 0;
}
