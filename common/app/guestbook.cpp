#include "app/guestbook.h"

#include <fcntl.h>

#include <charconv>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "app/guestbook_store.h"
#include "base/limits.h"
#include "web/answers.h"
#include "web/canned.h"
#include "web/file_parts.h"
#include "web/html_template.h"
#include "web/limit_filters.h"
#include "web/multipart_form.h"
#include "web/observing_filters.h"
#include "web/percent.h"

namespace stagecraft {

namespace {

using enum Method;

constexpr std::size_t max_name_bytes = 100;
constexpr std::size_t max_text_bytes = 10'000;
constexpr std::uint64_t max_upload_bytes = 32 * MiB;
constexpr std::string_view password = "guest";

// The guest who asks, as far as only_guests() has let him through.
constexpr AttributeKey<std::string> guest_key{"guest"};

constexpr std::string_view page_text = R"(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Guestbook</title>
<link rel="stylesheet" href="/style.css">
<h1>Guestbook</h1>
{{&content}}
</html>
)";

constexpr std::string_view login_text = R"(<form method="post" action="/login">
<p class="notice">{{notice}}</p>
<p><label>Your name <input name="name" required maxlength="40"></label></p>
<p><label>Password <input name="password" type="password" required></label></p>
<p><button id="login">Log in</button> The password of all guests is <code>guest</code>.</p>
</form>)";

constexpr std::string_view book_text = R"(<form method="post" action="/logout">
<p>You are <b id="guest">{{guest}}</b>. <button id="logout">Log out</button></p>
</form>
<form method="post" action="/entries" enctype="multipart/form-data">
<p><label>What would you like to say?<br><textarea name="text" rows="4"></textarea></label></p>
<p><label>And a file, if you like <input name="file" type="file"></label></p>
<p><button id="write">Write it</button></p>
</form>
<ol>
{{&entries}}</ol>)";

constexpr std::string_view entry_text = R"(<li><b>{{guest}}</b>
<p class="text">{{text}}</p>
{{&file}}</li>
)";

constexpr std::string_view file_text =
    R"(<p><a href="/files/{{id}}/{{path}}">{{name}}</a> <small>{{bytes}} bytes</small></p>)";

constexpr std::string_view style =
    "body { max-width: 40em; margin: 2em auto; padding: 0 1em; font: 1.1em/1.4 sans-serif }\n"
    "textarea { width: 100% }\n"
    ".text { white-space: pre-wrap; overflow-wrap: anywhere }\n"
    ".notice { color: #a00 }\n";

// All routes share one, and those of only_guests() refer to it. It is never changed but for the
// store, which has its own lock.
class Guestbook {
 public:
  explicit Guestbook(const UnixTime& now)
      : started_(now()), session_(manner(), {SecretKey::random()}, now) {}

  Filter only_guests() const;
  void show(const Request& request, Response& response) const;
  void log_in(const Request& request, Response& response) const;
  void log_out(Response& response) const;
  void write(const Request& request, Response& response);
  void send_file(const Request& request, Response& response, PathParameters path) const;

 private:
  static SessionCookie::Manner manner() {
    SessionCookie::Manner manner;
    manner.cookie.name = "guestbook";
    return manner;
  }
  std::string guest_of(const Request& request) const;
  void show_page(Response& response, std::string content) const;
  void show_login(Response& response, std::string_view notice) const;
  std::string entry(const GuestbookEntry& entry) const;

  const HtmlTemplate page_{page_text};
  const HtmlTemplate login_{login_text};
  const HtmlTemplate book_{book_text};
  const HtmlTemplate entry_{entry_text};
  const HtmlTemplate file_{file_text};
  const std::time_t started_;
  const SessionCookie session_;
  const std::string folder_ = temporary_folder();
  GuestbookStore store_;
};

// Empty: nobody we know.
std::string Guestbook::guest_of(const Request& request) const {
  const std::optional<Form> session = session_.read(request);
  return session ? std::string(session->value("guest").value_or("")) : std::string();
}

Filter Guestbook::only_guests() const {
  return before([this](const Request& request, Response& response) {
    std::string guest = guest_of(request);
    if (guest.empty()) {
      redirect(response, "/");
      return Pass::answered;
    }
    request.attributes().set(guest_key, std::move(guest));
    return Pass::on;
  });
}

void Guestbook::show_page(Response& response, std::string content) const {
  response.set_field("Cache-Control", "no-store");
  html(response, page_.fill({{"content", content}}));
}

void Guestbook::show_login(Response& response, std::string_view notice) const {
  show_page(response, login_.fill({{"notice", notice}}));
}

std::string Guestbook::entry(const GuestbookEntry& entry) const {
  std::string file;
  if (entry.file) {
    std::string path;
    append_percent_encoded(path, entry.file_name);
    file = file_.fill({{"id", std::to_string(entry.id)},
                       {"path", path},
                       {"name", entry.file_name},
                       {"bytes", std::to_string(entry.file->size())}});
  }
  return entry_.fill({{"guest", entry.guest}, {"text", entry.text}, {"file", file}});
}

void Guestbook::show(const Request& request, Response& response) const {
  const std::string guest = guest_of(request);
  if (guest.empty()) return show_login(response, "");
  std::string entries;
  for (const auto& written : store_.entries()) entries += entry(*written);
  show_page(response, book_.fill({{"guest", guest}, {"entries", entries}}));
}

void Guestbook::log_in(const Request& request, Response& response) const {
  Form form;
  if (const Refusal refusal = read_form(request, form)) return answer(response, refusal);
  const std::string guest(form.value("name").value_or(""));
  const bool welcome = equal_in_constant_time(form.value("password").value_or(""), password);
  if (!welcome || guest.empty() || guest.size() > max_name_bytes) {
    response.status(Status::forbidden);
    return show_login(response, welcome ? "That is no name." : "That is not the password.");
  }
  Form session;
  session.add("guest", guest);
  session_.write(response, session);
  redirect(response, "/");
}

void Guestbook::log_out(Response& response) const {
  session_.end(response);
  redirect(response, "/");
}

void Guestbook::write(const Request& request, Response& response) {
  MultipartForm form;
  if (const Refusal refusal = read_multipart(request, form)) return answer(response, refusal);
  GuestbookEntry entry;
  const std::string* const guest = request.attributes().find(guest_key);
  if (guest == nullptr) throw std::logic_error("writing is for guests");
  entry.guest = *guest;
  entry.text = form.fields.value("text").value_or("");
  for (FormFile& file : form.files) {
    if (file.field() != "file" || file.filename().empty()) continue;  // none was chosen
    entry.file_name = plain_file_name(file.filename());
    entry.file = std::make_shared<const TemporaryFile>(file.take_file(folder_));
    break;
  }
  if (entry.text.empty() && !entry.file) {
    return answer(response, {Status::unprocessable_content, "there is nothing to write"});
  }
  if (entry.text.size() > max_text_bytes) {
    return answer(response, {Status::unprocessable_content, "that is too much for one entry"});
  }
  store_.add(std::move(entry));
  redirect(response, "/");
}

void Guestbook::send_file(const Request& request, Response& response, PathParameters path) const {
  const std::string_view digits = path["id"];
  std::uint64_t id = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), id);
  const auto entry = store_.find(id);
  if (!entry || !entry->file) {
    return answer(response, {Status::not_found, "there is no such file, or not any more"});
  }
  const Validators validators{.entity_tag =
                                  '"' + std::to_string(started_) + '-' + std::to_string(id) + '"'};
  if (answered_by_preconditions(request, validators, response)) return;
  // Its own descriptor, so that the answer goes on when the book forgets the entry.
  UniqueFd file(::fcntl(entry->file->file().get(), F_DUPFD_CLOEXEC, 0));
  if (!file) return answer(response, {Status::service_unavailable, "too much is open just now"});
  // Whatever guests bring is never run here: it is for saving.
  std::string disposition = "attachment; filename*=UTF-8''";
  append_percent_encoded(disposition, entry->file_name);
  response.set_field("Content-Disposition", disposition);
  answer_with_file(request, std::move(file), entry->file->size(), validators,
                   "application/octet-stream", response);
}

}  // namespace

Router guestbook_routes(UnixTime now) {
  const auto book = std::make_shared<Guestbook>(now);
  Router router({security_headers()});
  router.add("/", {get},
             [book](const Request& request, Response& response) { book->show(request, response); });
  router.add("/style.css", {get}, constant(style, "text/css; charset=utf-8"));
  Router::Context login = router.context("/login", {rate_limit({}), size_limit(64 * KiB)});
  login.add("", {post}, [book](const Request& request, Response& response) {
    book->log_in(request, response);
  });
  router.add("/logout", {post},
             [book](const Request&, Response& response) { book->log_out(response); });

  MultipartLimits limits;
  limits.max_bytes = max_upload_bytes;
  limits.max_files = 1;
  Router::Context entries =
      router.context("/entries", {book->only_guests(), concurrency_limit(64)});
  entries.add(
      "", {post},
      Route{[book](const Request& request, Response& response) { book->write(request, response); },
            take_multipart(limits)});
  Router::Context files = router.context("/files", {book->only_guests()});
  files.add("/{id: [0-9]{1,18}}/{name}", {get},
            [book](const Request& request, Response& response, PathParameters path) {
              book->send_file(request, response, path);
            });
  return router;
}

}  // namespace stagecraft
