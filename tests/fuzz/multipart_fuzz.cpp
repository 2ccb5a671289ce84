// Whatever the bytes are, a form of parts is the same whole and in pieces, and no larger than what
// came.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "web/multipart_parser.h"

namespace {

using namespace stagecraft;

void require(bool holds) {
  if (!holds) std::abort();
}

class Told : public PartReceiver {
 public:
  Refusal begin_part(PartHead head) override {
    require(!in_part_);
    in_part_ = true;
    require(is_utf8(head.name) && is_utf8(head.filename.value_or("")));
    const std::string plain = plain_file_name(head.filename.value_or(""));
    require(!plain.empty() && plain.front() != '.' && plain.find_first_of("/\\") == plain.npos);
    text += '[' + head.name + '|' + head.filename.value_or("-") + '|' + head.type + ']';
    return {};
  }
  Refusal part_data(std::string_view piece) override {
    require(in_part_ && !piece.empty());
    bytes += piece.size();
    text += piece;
    return {};
  }
  Refusal end_part() override {
    require(in_part_);
    in_part_ = false;
    return {};
  }
  std::string text;
  std::size_t bytes = 0;

 private:
  bool in_part_ = false;
};

struct Outcome {
  Refusal refusal;
  std::string text;
};

Outcome parse(std::string_view body, std::size_t piece, const MultipartLimits& limits) {
  Told told;
  MultipartParser parser("b-", limits, told);
  for (std::size_t begin = 0; begin < body.size(); begin += piece) {
    // A block of exactly this size, so that reading behind it is noticed.
    const std::string_view bytes = body.substr(begin, piece);
    const std::vector<char> there(bytes.begin(), bytes.end());
    if (const Refusal refusal = parser.write({there.data(), there.size()})) {
      return {refusal, told.text};
    }
  }
  const Outcome outcome{parser.finish(), told.text};
  require(told.bytes <= body.size());
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string body(data, data + size);
  MultipartLimits small;
  small.max_head_bytes = 80;
  small.max_fields = 2;
  small.max_files = 1;
  for (const MultipartLimits& limits : {MultipartLimits{}, small}) {
    const Outcome whole = parse(body, body.size(), limits);
    for (const std::size_t piece : {1u, 2u, 3u, 7u}) {
      const Outcome pieces = parse(body, piece, limits);
      require(pieces.refusal.status == whole.refusal.status);
      require(pieces.refusal.reason == whole.refusal.reason);
      require(whole.refusal || pieces.text == whole.text);
    }
  }
  return 0;
}
