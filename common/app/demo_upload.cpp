// The route that takes bodies of every kind.

#include <memory>
#include <optional>
#include <string>

#include "app/demo.h"
#include "web/answers.h"
#include "web/fields.h"
#include "web/json.h"
#include "web/multipart_form.h"

namespace stagecraft {

namespace {

// Lets a body of any size through and remembers its size alone.
class CountingSink : public BodySink {
 public:
  Status write(std::span<const char> piece) override {
    bytes_ += piece.size();
    return Status::ok;
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

std::string type_of(const Request& request) {
  const auto type = parse_parameterized(request.field("Content-Type").value_or(""));
  return type ? type->value : std::string();
}

Refusal count_urlencoded(const Request& request, JsonObject& counted) {
  Form form;
  if (const Refusal refusal = read_form(request, form)) return refusal;
  counted.add("bytes", std::uint64_t{request.body().size()});
  counted.add("fields", std::uint64_t{form.fields().size()});
  return {};
}

Refusal count_multipart(const Request& request, JsonObject& counted) {
  MultipartForm form;
  if (const Refusal refusal = read_multipart(request, form)) return refusal;
  std::uint64_t bytes = 0;
  for (const FormFile& file : form.files) bytes += file.size();
  counted.add("bytes", bytes);
  counted.add("fields", std::uint64_t{form.fields.fields().size()});
  counted.add("files", std::uint64_t{form.files.size()});
  return {};
}

Refusal count_bytes(const Request& request, JsonObject& counted) {
  const auto* const sink = dynamic_cast<const CountingSink*>(request.sink());
  counted.add("bytes", sink == nullptr ? 0 : sink->bytes());
  counted.add("type", request.field("Content-Type").value_or(""));
  return {};
}

std::optional<Intake> admit(const Admit& multipart, std::uint64_t max_bytes, const Request& head,
                            Response& response) {
  const std::string type = type_of(head);
  if (type == "multipart/form-data") return multipart(head, response);
  Intake intake{max_bytes, nullptr};
  if (type != "application/x-www-form-urlencoded") intake.sink = std::make_unique<CountingSink>();
  return intake;
}

void count(const Request& request, Response& response) {
  const std::string type = type_of(request);
  const bool has_form = request.announces_body();
  JsonObject counted;
  const Refusal refusal =
      has_form && type == "multipart/form-data"                 ? count_multipart(request, counted)
      : has_form && type == "application/x-www-form-urlencoded" ? count_urlencoded(request, counted)
                                                                : count_bytes(request, counted);
  if (refusal) return answer(response, refusal);
  json(response, counted.text());
}

}  // namespace

Route upload_route(std::uint64_t max_bytes) {
  MultipartLimits limits;
  limits.max_bytes = max_bytes;
  Route route{count};
  route.admit = [multipart = take_multipart(limits), max_bytes](const Request& head,
                                                                Response& response) {
    return admit(multipart, max_bytes, head, response);
  };
  return route;
}

}  // namespace stagecraft
