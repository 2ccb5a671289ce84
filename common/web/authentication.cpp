#include "web/authentication.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/utf8.h"
#include "web/base64.h"
#include "web/fields.h"
#include "web/signer.h"

namespace stagecraft {

namespace {

std::string basic_challenge(std::string_view realm) {
  const bool plain = std::all_of(realm.begin(), realm.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '"' && c != '\\';
  });
  if (!plain) throw std::invalid_argument("a realm that cannot stand in a field");
  return "Basic realm=\"" + std::string(realm) + "\", charset=\"UTF-8\"";
}

}  // namespace

Filter authenticate(std::string challenge, std::function<Verdict(const Request&)> decide) {
  return before([challenge = std::move(challenge), decide = std::move(decide)](
                    const Request& request, Response& response) {
    Verdict verdict = decide(request);
    switch (verdict.kind) {
      case Verdict::Kind::success:
        request.attributes().set(authenticated_user, std::move(verdict.user));
        return Pass::on;
      case Verdict::Kind::retry:
        error_page(response, Status::unauthorized, "who are you?");
        response.set_field("WWW-Authenticate", challenge);
        return Pass::answered;
      case Verdict::Kind::failure:
        break;
    }
    error_page(response, Status::forbidden, "this is not for you");
    return Pass::answered;
  });
}

std::optional<Credentials> basic_credentials(const Request& request) {
  constexpr std::string_view scheme = "Basic ";
  const std::string_view value = request.field("Authorization").value_or("");
  if (!equal_ignoring_case(value.substr(0, scheme.size()), scheme)) return std::nullopt;
  const std::optional<std::string> text =
      from_base64(trimmed(value.substr(scheme.size())), Base64::standard);
  if (!text || !is_utf8(*text)) return std::nullopt;
  const std::size_t colon = text->find(':');
  if (colon == std::string::npos) return std::nullopt;
  return Credentials{text->substr(0, colon), text->substr(colon + 1)};
}

Filter basic_authentication(std::string_view realm,
                            std::function<Verdict(const Credentials&)> check) {
  return authenticate(basic_challenge(realm),
                      [check = std::move(check)](const Request& request) -> Verdict {
                        const std::optional<Credentials> credentials = basic_credentials(request);
                        return credentials ? check(*credentials) : Verdict{};
                      });
}

Filter basic_authentication(std::string_view realm,
                            std::map<std::string, std::string, std::less<>> users) {
  return basic_authentication(
      realm, [users = std::move(users)](const Credentials& credentials) -> Verdict {
        const auto found = users.find(credentials.user);
        const std::string_view password =
            found == users.end() ? std::string_view("nobody's") : std::string_view(found->second);
        const bool equal = equal_in_constant_time(credentials.password, password);
        if (!equal || found == users.end()) return {};
        return {Verdict::Kind::success, credentials.user};
      });
}

}  // namespace stagecraft
