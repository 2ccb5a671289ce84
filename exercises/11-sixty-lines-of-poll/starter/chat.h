// A room in which everybody hears what everybody says, line by line.
#pragma once

#include <cstddef>

/// The longest line that is passed on, in bytes, with its '\n'.
inline constexpr std::size_t longest_line = 200;

/// Serves the room to all who connect at `listener`, on the calling thread alone.
///
/// What a guest says is passed on when its line is complete: the whole line, with its '\n', to all
/// other guests who are there, and not to the one who said it. A half line waits for the rest; when
/// its guest leaves it is forgotten.
///
/// A guest is put out, which means that its descriptor is closed, who
/// - sends no more, or has gone;
/// - says a line that is longer than `longest_line`;
/// - does not take a line at once and whole. (A later exercise is more patient.)
///
/// Waits for nobody but in poll(), there for all at once, and without a timeout. Ends when accept()
/// fails with EINVAL: somebody has shut the listener down. Then all guests are put out; the
/// listener is the caller's, and stays open.
void chat(int listener);
