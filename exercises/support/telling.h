// What exercise.h collects, for the report.
#pragma once

#include "exercise.h"

namespace stagecraft::exercise {

/// The innermost story that holds; an empty one if there is none.
Telling current_telling();

/// Forgets what the test case before has left.
void forget_telling();

/// Empties the transcript; what is repeated in one test case begins with it anew.
void forget_transcript();

/// Thrown by not_judged().
struct NotJudged {
  std::string reason;
};

}  // namespace stagecraft::exercise
