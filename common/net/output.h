// What is to be sent next.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <span>

#include "net/unique_fd.h"

namespace stagecraft {

/// A part of a file, LENGTH bytes from OFFSET on, with the descriptor it is read through.
struct FileRange {
  UniqueFd file;
  std::uint64_t offset = 0, length = 0;
};

/// Bytes that wait to be sent: first the pieces of memory, in order, then the file range, if any.
/// Owns nothing. Who sends must leave it as it is; who made it accounts for what has been sent.
struct Output {
  std::span<const iovec> memory = {};
  const FileRange* file = nullptr;
};

}  // namespace stagecraft
