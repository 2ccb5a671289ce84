// What tells one state of a file from another.
#pragma once

#include <sys/stat.h>

#include <ctime>

#include "web/preconditions.h"

namespace stagecraft {

/// An entity tag and the time of the last change, from what the file system says; the content is
/// not read.
///
/// The tag is made of device, inode, size and the time of the last change in nanoseconds. Writing
/// to a file sets that time, and putting another in its place gives another inode. Two states could
/// share a tag only if one size were written twice between two ticks of the kernel's clock for such
/// times, of which there are at least a hundred a second; so as long as the tick of the last change
/// is not certainly over, the tag is a weak one. (A file system that only counts seconds is
/// recognized by the lack of nanoseconds and given two of them.) What remains is a program that
/// sets the time back by intent: who does that asks for the old state to be seen.
///
/// The parts are mixed into 64 bits rather than shown: an inode is nobody's business outside.
///
/// `now` is CLOCK_REALTIME_COARSE, the clock of the file system's times. A change in the future, by
/// a wrong clock, counts as now, and "now" is the second before: Last-Modified must not be later
/// than Date (RFC 9110 section 8.8.2.1), which was written down when the request came. A client
/// that is told a second too little asks once more, and one that is told too much would not.
Validators file_validators(const struct stat& about, const timespec& now);
Validators file_validators(const struct stat& about);

}  // namespace stagecraft
