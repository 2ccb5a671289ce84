// A form with files, in memory and in temporary files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/application.h"
#include "http/request.h"
#include "web/form.h"
#include "web/multipart_parser.h"
#include "web/temporary_file.h"

namespace stagecraft {

/// A file that came with a form. Small ones are in memory, others in a temporary file.
class FormFile {
 public:
  /// Precondition: the head has a filename.
  explicit FormFile(PartHead head) : head_(std::move(head)) {}

  const std::string& field() const { return head_.name; }
  /// As the client says it: for people, escaped. See plain_file_name().
  const std::string& filename() const { return *head_.filename; }
  /// As the client says it; never a reason to serve it so.
  const std::string& type() const { return head_.type; }
  std::uint64_t size() const { return file_ ? file_.size() : memory_.size(); }

  /// Where the content is: in memory() unless in_file().
  bool in_file() const { return static_cast<bool>(file_); }
  const std::string& memory() const { return memory_; }
  const TemporaryFile& file() const { return file_; }

  /// The content as a descriptor that can be read at any offset and sent as a FileRange; the file's
  /// own, or that of a new temporary file in `folder`. The object is empty then. Throws
  /// std::system_error.
  TemporaryFile take_file(const std::string& folder);

  /// Appends; beyond max_memory_bytes all of it goes to a file. Throws std::system_error.
  void append(std::string_view piece, std::size_t max_memory_bytes, const std::string& folder);

 private:
  PartHead head_;
  std::string memory_;
  TemporaryFile file_;
};

/// A whole form: its fields and its files, each in the order in which they came.
struct MultipartForm {
  Form fields;
  std::vector<FormFile> files;

  /// The first file of that field.
  const FormFile* file(std::string_view field) const;
};

/// Takes a body in while it arrives. It belongs to the request: whatever happens to that, the files
/// are gone with it, unless a handler has taken them. What it keeps in memory, fields and small
/// files, is bounded by its own limits, and for all requests together by Limits::max_buffered.
class MultipartSink : public BodySink, private PartReceiver {
 public:
  /// Precondition: MultipartParser::is_boundary(boundary).
  MultipartSink(std::string_view boundary, MultipartLimits limits);

  Status write(std::span<const char> piece) override;
  std::string_view reason() const override { return refusal_.reason; }
  std::uint64_t bytes_in_memory() const override { return fields_bytes_ + files_bytes_; }

  /// For the handler: the form, once. Refused if it does not end as it should.
  Refusal take(MultipartForm& form);

 private:
  Refusal begin_part(PartHead head) override;
  Refusal part_data(std::string_view piece) override;
  Refusal end_part() override;
  Refusal count_field(std::size_t bytes);

  const MultipartLimits limits_;
  MultipartParser parser_;
  MultipartForm form_;
  std::optional<PartHead> field_;   // the part that is arriving, if it is no file
  std::string value_;               // its value so far
  std::size_t fields_bytes_ = 0;    // of all fields
  std::size_t files_bytes_ = 0;     // of all files that are in memory
  std::optional<Charset> charset_;  // what a field _charset_ has said
  Refusal refusal_;
};

/// For Route::admit: takes multipart/form-data in, and answers 415 to any other type, 400 to a
/// boundary that is missing or none.
Admit take_multipart(MultipartLimits limits = {});

/// In the handler behind take_multipart(), or behind filters that wrap it: the form, once.
Refusal read_multipart(const Request& request, MultipartForm& form);

}  // namespace stagecraft
