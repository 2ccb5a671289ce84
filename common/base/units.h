// Numbers with units, as people write them into options.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace stagecraft {

/// The bytes that TEXT means: a whole number, alone or with B, KiB, MiB or GiB ("64KiB"). Throws
/// std::invalid_argument with a message for the user ("must be a size such as ...").
std::uint64_t parse_size(std::string_view text);

/// The duration that TEXT means: a whole number with ms, s, min or h ("250ms"), or just 0. A number
/// alone is refused, since nobody could say of what. Throws std::invalid_argument as above.
std::chrono::milliseconds parse_duration(std::string_view text);

/// The shortest way to write it that the functions above read back as the same value.
std::string format_size(std::uint64_t bytes);
std::string format_duration(std::chrono::milliseconds duration);

}  // namespace stagecraft
