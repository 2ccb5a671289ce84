#include "web/static_files.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/escape.h"
#include "http/application.h"
#include "http/weighted_list.h"
#include "web/file_parts.h"
#include "web/file_validators.h"
#include "web/folder_listing.h"
#include "web/media_type.h"
#include "web/preconditions.h"

namespace stagecraft {

namespace {

constexpr std::string_view allowed = "GET, HEAD, OPTIONS";

// A form in which a file is there, and how its name differs.
struct Coding {
  std::string_view name, ending;
};
// The better ones first, for clients to whom they are equally welcome.
constexpr std::array<Coding, 2> codings{{{"br", ".br"}, {"gzip", ".gz"}}};

struct Variant {
  OpenedFile file;
  std::string_view coding = {};  // none: as it is
};

struct Variants {
  std::optional<Variant> chosen;  // none: the client accepts none of them
  bool several = false;           // another client may get another one
};

void refuse(Response& response, int error_number) {
  switch (error_number) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
      error_page(response, Status::service_unavailable, "too much is open just now");
      return response.set_field("Retry-After", "1");
    case EACCES:
    case EPERM:
      return error_page(response, Status::forbidden, "this file may not be read");
    case EIO:
    case EFAULT:
    case EBADF:
      return error_page(response, Status::internal_server_error, "the file could not be read");
    default:  // ENOENT, ENOTDIR, ENAMETOOLONG, ENXIO; ELOOP and EXDEV of a way out of the folder
      return error_page(response, Status::not_found, "there is no such file");
  }
}

bool is_folder(const OpenedFile& file) { return S_ISDIR(file.about.st_mode); }

// Answers the methods that a file does not have; false: it is one that it has.
bool answered_by_method(const Request& request, Response& response) {
  if (request.method() == Method::get || request.method() == Method::head) return false;
  if (request.method() == Method::options) {
    response.status(Status::no_content);
  } else {
    error_page(response, Status::method_not_allowed, "a file can only be read");
  }
  response.set_field("Allow", allowed);
  return true;
}

// To where a folder's relative links are right. The path begins with exactly one '/': with two, a
// browser would take what follows for the name of another host.
void redirect_into(const Request& request, Response& response) {
  std::string location;
  append_path_escaped(location, request.path());
  location.erase(0, location.find_first_not_of('/')).insert(0, 1, '/');
  location += '/';
  if (!request.query().empty()) location.append("?").append(request.query());
  error_page(response, Status::moved_permanently, "this is a folder; its address ends in /");
  response.set_field("Location", location);
}

std::optional<Variant> accept_identity(const Request& request, OpenedFile file) {
  if (!accepts_identity(request)) return std::nullopt;
  return Variant{std::move(file)};
}

// Of the file as it is and its compressed variants that lie beside it, the one that the client
// prefers.
Variants choose_variant(const Request& request, const RootFolder& folder, const std::string& name,
                        OpenedFile file) {
  const std::time_t changed = file.about.st_mtime;
  Variants variants{accept_identity(request, std::move(file))};
  Weight best = coding_weight(request, "identity");
  for (const Coding& coding : codings) {
    OpenedFile packed = folder.open(name + std::string(coding.ending));
    if (packed.error != 0 || is_folder(packed)) continue;
    // One that was made before the file was changed holds what the file was.
    if (packed.about.st_mtime < changed) continue;
    variants.several = true;
    const Weight weight = coding_weight(request, coding.name);
    const bool packed_already = variants.chosen && !variants.chosen->coding.empty();
    if (weight == 0 || weight < best || (weight == best && packed_already)) continue;
    best = weight;
    variants.chosen = Variant{std::move(packed), coding.name};
  }
  return variants;
}

}  // namespace

StaticFiles::StaticFiles(const std::string& folder, Listing listing)
    : StaticFiles(RootFolder(folder), listing) {}

StaticFiles::StaticFiles(RootFolder folder, Listing listing)
    : folder_(std::move(folder)), listing_(listing) {}

void StaticFiles::answer(const Request& request, std::string_view path, Response& response) const {
  if (answered_by_method(request, response)) return;
  const std::optional<FilePath> wanted = file_path(path);
  if (!wanted) return refuse(response, ENOENT);
  OpenedFile file = folder_.open(wanted->name);
  if (file.error != 0) return refuse(response, file.error);
  if (is_folder(file)) return answer_folder(request, *wanted, file, response);
  if (wanted->folder) return refuse(response, ENOTDIR);
  answer_file(request, wanted->name, std::move(file), response);
}

void StaticFiles::answer_folder(const Request& request, const FilePath& path,
                                const OpenedFile& folder, Response& response) const {
  if (!request.path().ends_with('/')) return redirect_into(request, response);
  const std::string index = path.name == "." ? "index.html" : path.name + "/index.html";
  OpenedFile file = folder_.open(index);
  if (file.error == 0 && !is_folder(file)) {
    return answer_file(request, index, std::move(file), response);
  }
  if (file.error != 0 && file.error != ENOENT) return refuse(response, file.error);
  if (listing_ == Listing::off) return refuse(response, ENOENT);
  if (answered_by_preconditions(request, {}, response)) return;
  response.set_field("X-Content-Type-Options", "nosniff");
  response.set_field("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
  response.body(folder_listing(folder.descriptor, request.path()), "text/html; charset=utf-8");
}

void StaticFiles::answer_file(const Request& request, const std::string& name, OpenedFile file,
                              Response& response) const {
  const std::string_view type = media_type(name);
  // What a file is, its name says; a browser that guesses from the content can be led to run it.
  response.set_field("X-Content-Type-Options", "nosniff");
  const bool compressible = compressibility(type) == Compressibility::good;
  Variants variants = compressible ? choose_variant(request, folder_, name, std::move(file))
                                   : Variants{accept_identity(request, std::move(file))};
  if (variants.several) response.set_field("Vary", "Accept-Encoding");
  if (!variants.chosen) {
    return error_page(response, Status::not_acceptable, "there is no form of it that you accept");
  }
  Variant& chosen = *variants.chosen;
  const Validators validators = file_validators(chosen.file.about);
  if (answered_by_preconditions(request, validators, response)) return;
  if (!chosen.coding.empty()) response.set_field("Content-Encoding", chosen.coding);
  const auto size = static_cast<std::uint64_t>(chosen.file.about.st_size);
  answer_with_file(request, std::move(chosen.file.descriptor), size, validators, type, response);
}

}  // namespace stagecraft
