#include "conformance/file_server.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <stdexcept>

#include "catch.h"
#include "support/client.h"

namespace stagecraft::conformance {

FileServer::FileServer() {
  write("file.txt", file_content());
  // What a sentinel asks for, with the content by which it is known.
  write("path/sentinel", "/path/sentinel\n\n");
  process_ = server_with({"--app", "files", "--root", folder_.path()});
}

FileServer::~FileServer() {
  try {
    process_->stop();
  } catch (const std::exception& error) {
    UNSCOPED_INFO(error.what());
    CHECK(false);
  }
}

void FileServer::write(std::string_view name, std::string_view content, std::time_t changed) const {
  const std::string path = folder_.write(name, content);
  const std::array<timespec, 2> times{{{changed, 0}, {changed, 0}}};
  if (::utimensat(AT_FDCWD, path.c_str(), times.data(), 0) != 0) {
    throw std::runtime_error("utimensat " + path);
  }
}

Answers FileServer::check(const std::string& request, const std::string& outcome) const {
  return check_at(process_->endpoint(), {.request = request, .outcome = outcome});
}

testing::HttpResponse FileServer::get(std::string_view target, std::string_view fields) const {
  return ask("GET", target, fields);
}

testing::HttpResponse FileServer::ask(std::string_view method, std::string_view target,
                                      std::string_view fields) const {
  testing::Client client(process_->endpoint());
  client.send(request(method, target, fields));
  testing::HttpResponse answer = client.read_response(method);
  check_lint(answer, method);
  return answer;
}

const std::string& file_content() {
  static const std::string content = [] {
    std::string text;
    for (int i = 0; i < 100; ++i) text += static_cast<char>('!' + i * 7 % 90);
    return text;
  }();
  return content;
}

}  // namespace stagecraft::conformance
