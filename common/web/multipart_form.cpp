#include "web/multipart_form.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "web/fields.h"
#include "web/filter.h"

namespace stagecraft {

namespace {

MultipartLimits with_folder(MultipartLimits limits) {
  if (limits.folder.empty()) limits.folder = temporary_folder();
  return limits;
}

void write_or_throw(TemporaryFile& file, std::string_view bytes) {
  if (const int error = file.write(bytes); error != 0) {
    throw std::system_error(error, std::generic_category(), "write to a temporary file");
  }
}

}  // namespace

// --- A file --------------------------------------------------------------------------------------

void FormFile::append(std::string_view piece, std::size_t max_memory_bytes,
                      const std::string& folder) {
  if (!file_) {
    if (memory_.size() + piece.size() <= max_memory_bytes) {
      memory_ += piece;
      return;
    }
    file_ = TemporaryFile(folder);
    write_or_throw(file_, std::exchange(memory_, {}));
  }
  write_or_throw(file_, piece);
}

TemporaryFile FormFile::take_file(const std::string& folder) {
  if (!file_) {
    file_ = TemporaryFile(folder);
    write_or_throw(file_, std::exchange(memory_, {}));
  }
  return std::exchange(file_, {});
}

const FormFile* MultipartForm::file(std::string_view field) const {
  for (const FormFile& file : files) {
    if (file.field() == field) return &file;
  }
  return nullptr;
}

// --- Taking it in --------------------------------------------------------------------------------

MultipartSink::MultipartSink(std::string_view boundary, MultipartLimits limits)
    : limits_(with_folder(std::move(limits))), parser_(boundary, limits_, *this) {}

Status MultipartSink::write(std::span<const char> piece) {
  try {
    refusal_ = parser_.write({piece.data(), piece.size()});
  } catch (const std::system_error&) {
    // The disk is full, or there are no descriptors: the client did nothing wrong.
    refusal_ = {Status::service_unavailable, "there is no room for the file just now"};
  }
  return refusal_ ? refusal_.status : Status::ok;
}

Refusal MultipartSink::take(MultipartForm& form) {
  if (!refusal_) refusal_ = parser_.finish();
  if (refusal_) return refusal_;
  form = std::exchange(form_, {});
  return {};
}

Refusal MultipartSink::begin_part(PartHead head) {
  if (head.filename) {
    form_.files.emplace_back(std::move(head));
  } else {
    field_ = std::move(head);
    value_.clear();
    return count_field(field_->name.size());
  }
  return {};
}

Refusal MultipartSink::count_field(std::size_t bytes) {
  fields_bytes_ += bytes;
  if (fields_bytes_ <= limits_.max_fields_bytes) return {};
  return {Status::content_too_large, "the fields of the form are too large"};
}

Refusal MultipartSink::part_data(std::string_view piece) {
  if (!field_) {
    FormFile& file = form_.files.back();
    const std::size_t before = file.memory().size();
    file.append(piece, limits_.max_memory_bytes, limits_.folder);
    files_bytes_ = files_bytes_ - before + file.memory().size();
    return {};
  }
  if (value_.size() + piece.size() > limits_.max_field_bytes) {
    return {Status::content_too_large, "a field of the form is too large"};
  }
  value_ += piece;
  return count_field(piece.size());
}

Refusal MultipartSink::end_part() {
  if (!field_) return {};
  const PartHead head = *std::exchange(field_, std::nullopt);
  std::string value = std::exchange(value_, {});
  if (head.name == "_charset_") {  // of the fields that follow (RFC 7578 section 4.6)
    charset_ = charset_named(value);
    if (!charset_) return {Status::unsupported_media_type, "the form is in an unknown charset"};
  }
  const std::optional<Charset> charset = head.charset ? head.charset : charset_;
  if (!to_utf8(value, charset.value_or(Charset::utf_8))) {
    return {Status::bad_request, "the form is not in the charset that it says"};
  }
  form_.fields.add(head.name, std::move(value));
  return {};
}

// --- For routes ----------------------------------------------------------------------------------

Admit take_multipart(MultipartLimits limits) {
  return [limits = with_folder(std::move(limits))](const Request& head,
                                                   Response& response) -> std::optional<Intake> {
    const auto type = parse_parameterized(head.field("Content-Type").value_or(""));
    if (!type || type->value != "multipart/form-data") {
      answer(response, {Status::unsupported_media_type, "only multipart/form-data is taken here"});
      return std::nullopt;
    }
    const auto boundary = type->parameter("boundary");
    if (!boundary || !MultipartParser::is_boundary(*boundary)) {
      answer(response, {Status::bad_request, "the form has no proper boundary"});
      return std::nullopt;
    }
    return Intake{limits.max_bytes, std::make_unique<MultipartSink>(*boundary, limits)};
  };
}

Refusal read_multipart(const Request& request, MultipartForm& form) {
  auto* const sink = sink_of<MultipartSink>(request);
  if (sink != nullptr) return sink->take(form);
  return {Status::unsupported_media_type, "only multipart/form-data is taken here"};
}

}  // namespace stagecraft
