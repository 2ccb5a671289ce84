// What must come, written as text, and whether what came is that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::conformance {

/// By what a server is judged.
enum class Judge {
  profile,  ///< by what this project has chosen wherever the RFC leaves a choice
  rfc       ///< by all that the RFC allows
};

/// How this process judges: by the profile a program that it starts, by the RFC a server that
/// somebody else has started. `--judge` says otherwise.
Judge& judge();

/// Whether `outcome`, as `200 keep`, is one that `expected` allows.
///
/// `400 close or 413 close / 4xx any`: in front of the slash stands the profile, behind it what the
/// RFC allows besides. An `x` stands for any digit, `any` for `keep` or `close`, and `refused` for
/// one error of any kind or the end without an answer.
///
/// Judged by the RFC, three more differences are none, unless one of `requirements` is about them:
/// a server may close after any answer, if that says so; it may keep a connection after an error
/// that does not leave the framing in doubt; and it may refuse for another reason than ours.
bool outcome_allowed(std::string_view outcome, std::string_view expected, Judge judge,
                     const std::vector<std::string>& requirements = {});

/// What a failure message says was expected: one side of the slash, or both.
std::string expected_text(std::string_view expected, Judge judge);

}  // namespace stagecraft::conformance
