// Whatever a Cookie field holds, what is read of it is part of it; what SetCookie writes is read as
// it was; and a session that we did not sign is none.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "http/session.h"
#include "web/cookie.h"
#include "web/session_cookie.h"

namespace {

using namespace stagecraft;

void require(bool holds) {
  if (!holds) std::abort();
}

class NoPostbox : public Postbox {
 public:
  void post(std::shared_ptr<Deferred> /*letter*/) noexcept override {}
};

const SessionCookie& sessions() {
  static const SessionCookie cookies = [] {
    SessionCookie::Manner manner;
    manner.cookie.name = "s";
    return SessionCookie(manner, {SecretKey::from_hex(std::string(64, '7'))},
                         [] { return std::time_t{0}; });
  }();
  return cookies;
}

void look(const Request& request, Response& response) {
  const std::string_view field = request.field("Cookie").value_or("");
  std::size_t count = 0;
  for_each_cookie(request, [&](std::string_view name, std::string_view value) {
    ++count;
    require(!name.empty() && name.find('=') == std::string_view::npos);
    require(value.find(';') == std::string_view::npos);
    require(name.size() + value.size() < field.size());
    require(cookie(request, name).has_value());
    try {
      SetCookie again;
      again.name = name;
      again.value = value;
      require(again.text().starts_with(std::string(name) + '=' + std::string(value) + "; Path=/"));
    } catch (const std::invalid_argument&) {
      // Read leniently, and never written so.
    }
  });
  require(count <= 100);
  require(!sessions().read(request));
  response.text("");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string field(data, data + std::min<std::size_t>(size, 4000));
  // Bytes that would end the field are another parser's business.
  std::erase_if(field, [](char c) { return (static_cast<unsigned char>(c) < 0x20) || c == 0x7f; });
  const std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\nCookie: " + field + "\r\n\r\n";

  const Limits limits;
  const Route route{look};
  bool handled = false;
  const Application application = [&route](const Request&) -> const Route& { return route; };
  Workspace::Common common(application);
  Workspace workspace(limits, common);
  ConnectionInfo info;
  Session session(limits, workspace, std::make_shared<NoPostbox>(), info);
  require(session.next() == Step::receive);
  std::copy(bytes.begin(), bytes.end(), session.read_buffer().begin());
  session.received(bytes.size());
  if (session.next() == Step::handle) {
    session.route().handle(session.request(), session.response());
    session.handled();
    handled = true;
  }
  require(handled);
  return 0;
}
