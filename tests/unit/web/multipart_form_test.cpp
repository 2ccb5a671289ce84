// Forms with files, as a handler gets them.
#include "web/multipart_form.h"

#include <dirent.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "catch.h"
#include "support/scratch_folder.h"
#include "unit/app/asking.h"
#include "unit/http/driver.h"
#include "web/filter.h"

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::string_view form_type = "Content-Type: multipart/form-data; boundary=b\r\n";

std::string part(const std::string& disposition, const std::string& content) {
  return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n";
}

std::size_t descriptors() {
  const std::filesystem::directory_iterator all_open("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all_open), end(all_open)));
}

std::string content_of(const FormFile& file) {
  if (!file.in_file()) return file.memory();
  std::string content(file.size(), '\0');
  const ssize_t read = ::pread(file.file().file().get(), content.data(), content.size(), 0);
  CHECK(read == static_cast<ssize_t>(content.size()));
  return content;
}

// A route that keeps the form, or answers with what is wrong with it.
struct FormRoute {
  explicit FormRoute(const MultipartLimits& limits = {}) {
    route.admit = take_multipart(limits);
    route.handle = [this](const Request& request, Response& response) {
      if (const Refusal refusal = read_multipart(request, form)) {
        return stagecraft::answer(response, refusal);
      }
      response.text("taken");
    };
  }
  HttpResponse post(const std::string& body, std::string_view type = form_type) {
    return ask([this](const Request&) -> const Route& { return route; }, "POST /", type, body);
  }
  Route route;
  MultipartForm form;
};

}  // namespace

TEST_CASE("A handler gets fields and files") {
  FormRoute route;
  const HttpResponse answer =
      route.post(part("name=a", "one") + part("name=f; filename=\"x.txt\"", "small") +
                 part("name=a", "two") + "--b--");
  CHECK(answer.body == "taken");
  CHECK(route.form.fields.values("a") == std::vector<std::string_view>{"one", "two"});
  REQUIRE(route.form.files.size() == 1);
  const FormFile* const file = route.form.file("f");
  REQUIRE(file != nullptr);
  CHECK(file->filename() == "x.txt");
  CHECK(file->size() == 5);
  CHECK_FALSE(file->in_file());
  CHECK(content_of(*file) == "small");
  CHECK(route.form.file("g") == nullptr);
}

TEST_CASE("A file that is large goes to a file without a name") {
  const ScratchFolder folder;
  MultipartLimits limits;
  limits.max_memory_bytes = 100;
  limits.folder = folder.path();
  const std::size_t before = descriptors();
  {
    FormRoute route(limits);
    const std::string large(101, 'x');
    route.post(part("name=f; filename=a", std::string(100, 'y')) +
               part("name=g; filename=b", large) + "--b--");
    CHECK_FALSE(route.form.file("f")->in_file());
    REQUIRE(route.form.file("g")->in_file());
    CHECK(content_of(*route.form.file("g")) == large);
    CHECK(std::filesystem::is_empty(folder.path()));
    TemporaryFile taken = route.form.files[0].take_file(folder.path());
    CHECK(taken.size() == 100);
    CHECK(route.form.files[0].size() == 0);
    CHECK(descriptors() == before + 2);
  }
  CHECK(descriptors() == before);
}

TEST_CASE("Whatever happens to an upload, nothing of it stays") {
  const ScratchFolder folder;
  MultipartLimits limits;
  limits.max_memory_bytes = 10;
  limits.folder = folder.path();
  FormRoute route(limits);
  const std::string body = part("name=f; filename=a", std::string(1000, 'x')) + "--b--";
  const std::string whole = request("POST /", form_type, body);
  const std::size_t before = descriptors();
  for (std::size_t size = whole.size() - body.size(); size < whole.size(); size += 97) {
    CAPTURE(size);
    Driver driver([&route](const Request&) -> const Route& { return route.route; });
    driver.feed(std::string_view(whole).substr(0, size)).run();
    const int way = GENERATE(0, 1, 2);
    if (way == 0) driver.session().reset_by_peer();
    if (way == 1) driver.session().expired();
    if (way == 2) driver.end_input();
    driver.run();
    CHECK(descriptors() == before);
  }
  CHECK(route.post(body.substr(0, body.size() - 2)).status == 400);
  CHECK(descriptors() == before);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("What is no form of parts is refused before it is sent") {
  FormRoute route;
  const std::string expecting = "Expect: 100-continue\r\nContent-Length: 9\r\n";
  const auto status = [&](const std::string& type) {
    return ask([&route](const Request&) -> const Route& { return route.route; }, "POST /",
               expecting + type)
        .status;
  };
  CHECK(status("Content-Type: text/plain\r\n") == 415);
  CHECK(status("") == 415);
  CHECK(status("Content-Type: multipart/form-data\r\n") == 400);
  CHECK(status("Content-Type: multipart/form-data; boundary=\"\"\r\n") == 400);
  CHECK(status("Content-Type: multipart/mixed; boundary=b\r\n") == 415);
}

TEST_CASE("What is wrong with a form is told, wherever it is found out") {
  MultipartLimits limits;
  limits.max_field_bytes = 5;
  FormRoute route(limits);
  const HttpResponse unfinished = route.post(part("name=a", "x"));
  CHECK(unfinished.status == 400);
  CHECK(unfinished.body.find("ends before its last boundary") != std::string::npos);
  const HttpResponse nameless = route.post("--b\r\n\r\nx\r\n--b--");
  CHECK(nameless.status == 400);
  CHECK(nameless.body.find("a part has no name") != std::string::npos);
  CHECK(route.post(part("name=a", "12345") + "--b--").status == 200);
  CHECK(route.post(part("name=a", "123456") + "--b--").status == 413);
  CHECK(route.post(part("name=a", "\xe4") + "--b--").status == 400);
  CHECK(route.post(part("name=_charset_", "koi8") + "--b--").status == 415);
}

TEST_CASE("All fields together have a bound, names included") {
  MultipartLimits limits;
  limits.max_fields_bytes = 10;
  FormRoute route(limits);
  CHECK(route.post(part("name=a", "1234") + part("name=b", "1234") + "--b--").status == 200);
  CHECK(route.post(part("name=a", "1234") + part("name=b", "12345") + "--b--").status == 413);
  CHECK(route.post(part("name=a", "1234") + part("name=abcdef", "") + "--b--").status == 413);
  CHECK(route.post(part("name=a; filename=b", "12345678901") + "--b--").status == 200);
}

TEST_CASE("A body has a bound") {
  MultipartLimits limits;
  limits.max_bytes = 100;
  FormRoute route(limits);
  CHECK(route.post(part("name=a", std::string(200, 'x')) + "--b--").status == 413);
}

TEST_CASE("Fields are in the charset that they say, or the form does") {
  FormRoute route;
  route.post(
      "--b\r\nContent-Disposition: form-data; name=a\r\n"
      "Content-Type: text/plain; charset=ISO-8859-1\r\n\r\n\xe4\r\n" +
      part("name=b", "\xc3\xa4") + part("name=_charset_", "windows-1252") + part("name=c", "\x80") +
      "--b--");
  CHECK(route.form.fields.value("a") == "\xc3\xa4");
  CHECK(route.form.fields.value("b") == "\xc3\xa4");
  CHECK(route.form.fields.value("c") == "\xe2\x82\xac");
}

TEST_CASE("A disk that takes no more is a 503") {
  MultipartLimits limits;
  limits.max_memory_bytes = 1;
  limits.folder = "/proc";
  FormRoute route(limits);
  CHECK(route.post(part("name=f; filename=a", "12") + "--b--").status == 503);
}

TEST_CASE("A form is read behind filters that wrap its body") {
  class Through : public WrappingSink {
   public:
    using WrappingSink::WrappingSink;
    Status write(std::span<const char> piece) override { return inner()->write(piece); }
  };
  FormRoute route;
  route.route = filtered(std::move(route.route), {wrap_intake([](const Request&, Intake& intake) {
                           intake.sink = std::make_unique<Through>(std::move(intake.sink));
                         })});
  CHECK(route.post(part("name=a", "x") + "--b--").body == "taken");
  CHECK(route.form.fields.value("a") == "x");
}

TEST_CASE("A route without the sink has no form") {
  const Route route{[](const Request& request, Response& response) {
    MultipartForm form;
    stagecraft::answer(response, read_multipart(request, form));
  }};
  CHECK(ask([&route](const Request&) -> const Route& { return route; }, "GET /").status == 415);
}
