// A strict reader of HTTP/1.x answers.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::testing {

/// The answer breaks the grammar; what() says where, with the RFC's section and the
/// bytes; if a single one is wrong, there is a caret below it.
class MalformedResponse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One field line, its value without the white space around it.
struct HttpField {
  std::string name;
  std::string value;
};

/// What said where the content ends (RFC 9112, section 6.3).
enum class Framing { no_content, content_length, chunked, end_of_connection };

/// One answer as it came, interim (1xx) or final.
struct HttpResponse {
  int minor_version = 0;
  int status = 0;
  std::string reason;
  std::vector<HttpField> fields;
  std::vector<HttpField> trailers;
  std::string body;  ///< decoded when it came in chunks
  Framing framing = Framing::no_content;
  std::string head;  ///< the bytes up to and with the empty line

  bool interim() const { return status >= 100 && status < 200; }

  /// How many field lines have this name, in any case.
  std::size_t count(std::string_view name) const;
  bool has(std::string_view name) const { return count(name) > 0; }

  /// The values of all lines of this name, joined by ", " (RFC 9110, section 5.3); "" if none.
  std::string field(std::string_view name) const;

  /// The members of a comma-separated field, without the white space around them. An empty member
  /// is in the list: no answer may have one.
  std::vector<std::string> list(std::string_view name) const;

  /// Whether `member` is in list(name), in any case.
  bool lists(std::string_view name, std::string_view member) const;
};

/// Whether two names are equal but for the case of ASCII letters.
bool equal_names(std::string_view a, std::string_view b);

/// Whether `text` is a token (RFC 9110, section 5.6.2).
bool is_token(std::string_view text);

/// Whether more bytes may follow those that are there.
enum class Stream { open, ended };

/// Takes the first answer off the front of `bytes`. `method` is that of the request, since an
/// answer to HEAD has no content. Nothing, and `bytes` as before, if the answer is not whole yet.
/// Nothing is forgiven: no bare CR or LF, no folded line, no repeated or doubtful framing.
/// Throws MalformedResponse.
std::optional<HttpResponse> take_response(std::string_view& bytes, std::string_view method,
                                          Stream stream);

}  // namespace stagecraft::testing
