// The way from a test program to the grader that has started it.
#pragma once

#include <string_view>

namespace stagecraft::exercise {

/// Whether a grader has started this program, and is told what becomes of the tests.
bool is_graded();

/// Writes one line of the report: the secret that the grader gave this run, and `json`, which has
/// no newline in it. Nothing if nobody grades, or in a child of the process that was started.
void report_line(std::string_view json);

/// Whether this is a child that was forked during a test case.
bool is_forked_child();

}  // namespace stagecraft::exercise
