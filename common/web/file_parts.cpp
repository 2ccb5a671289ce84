#include "web/file_parts.h"

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "http/application.h"
#include "web/byte_ranges.h"
#include "web/multipart_ranges.h"

namespace stagecraft {

void answer_with_file(const Request& request, UniqueFd file, std::uint64_t size,
                      const Validators& validators, std::string_view type, Response& response) {
  RangeSelection selection;
  // HEAD has no ranges: of the methods only GET is defined for them (RFC 9110 section 14.2).
  const std::optional<std::string_view> range =
      request.method() == Method::get ? single_field(request, "Range") : std::nullopt;
  // Of nothing there is no part, not even the last five bytes.
  if (range && size > 0 && if_range_allows(request, validators, std::time(nullptr))) {
    selection = select_ranges(*range, size);
  }
  if (selection.kind == RangeSelection::unsatisfiable) {
    response.reset();  // the page has neither the file's tag nor its date
    error_page(response, Status::range_not_satisfiable, "the file is not as long as that");
    return response.set_field("Content-Range", unsatisfied_content_range(size));
  }
  response.set_field("Accept-Ranges", "bytes");
  if (selection.kind == RangeSelection::whole) {
    return response.file({std::move(file), 0, size}, type);
  }
  response.status(Status::partial_content);
  if (selection.ranges.size() == 1) {
    const ByteRange& part = selection.ranges.front();
    response.set_field("Content-Range", content_range(part, size));
    return response.file({std::move(file), part.offset, part.length}, type);
  }
  auto parts =
      std::make_unique<MultipartRanges>(std::move(file), size, std::move(selection.ranges), type);
  const std::uint64_t length = parts->length();
  const std::string parts_type = parts->type();
  response.stream(std::move(parts), parts_type, length);
}

}  // namespace stagecraft
