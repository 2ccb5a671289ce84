// The few character sets in which forms come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

/// What browsers mean by ISO-8859-1 and by ASCII is windows-1252
/// (https://encoding.spec.whatwg.org/#names-and-labels).
enum class Charset : std::uint8_t { utf_8, windows_1252 };

/// By any of its names, in any case; nullopt for one that is not known here.
std::optional<Charset> charset_named(std::string_view label);

/// Makes UTF-8 of `text`, which is in that charset. False, and the text as it was, if it is not: no
/// byte is replaced, because what is stored would then not be what was sent. Every text is
/// windows-1252.
bool to_utf8(std::string& text, Charset charset);

}  // namespace stagecraft
