#include "unit/web/served_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>

#include "catch.h"
#include "unit/app/asking.h"

namespace stagecraft::testing {

ServedFolder::ServedFolder(Listing listing, RootFolder::Lookup lookup)
    : files_(std::make_unique<StaticFiles>(RootFolder(root_.path(""), lookup), listing)) {
  route_.handle = [this](const Request& request, Response& response) {
    files_->answer(request, request.path().substr(1), response);
  };
}

void ServedFolder::file(const std::string& name, std::string_view content) const {
  const std::size_t slash = name.find('/');
  if (slash != std::string::npos) ::mkdir(root_.path(name.substr(0, slash)).c_str(), 0700);
  root_.file(name, content);
  age(name, 784111777);
}

void ServedFolder::age(const std::string& name, std::time_t changed) const {
  const std::array<timespec, 2> times{{{changed, 0}, {changed, 0}}};
  REQUIRE(::utimensat(AT_FDCWD, root_.path(name).c_str(), times.data(), 0) == 0);
}

HttpResponse ServedFolder::get(const std::string& target, const std::string& fields) const {
  return ask("GET", target, fields);
}

HttpResponse ServedFolder::ask(const std::string& method, const std::string& target,
                               const std::string& fields) const {
  return testing::ask([this](const Request&) -> const Route& { return route_; },
                      method + ' ' + target, fields);
}

}  // namespace stagecraft::testing
