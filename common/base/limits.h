// Every bound of the HTTP core, in one place. A server that reads from strangers must know, for
// each count, size and wait, how much it grants and what it answers when that is used up.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace stagecraft {

// NOLINTBEGIN(readability-identifier-naming): units are written as the world writes them
inline constexpr std::size_t KiB = 1024;
inline constexpr std::size_t MiB = 1024 * KiB;
// NOLINTEND(readability-identifier-naming)

/// The body and send timers start anew each time this many bytes have gone through: a slow client
/// is served, one that trickles a byte now and then is not.
inline constexpr std::size_t timer_restart_bytes = 64 * KiB;

/// What one connection may use. A plain value: fill it in before the server starts; from then on it
/// is only read, by any thread. The options of the programs have the same names, with hyphens.
///
/// Sizes are in bytes and hold for every way in which the network may split the bytes.
struct Limits {
  // --- Sizes and counts -----------------------------------------------------------------------

  /// The room offered to one receive; a size, not a limit. Larger: fewer system calls for large
  /// bodies. Smaller: less memory for each large request in flight. At least 1 KiB. What comes
  /// first is received into 4 KiB, if that is less.
  std::size_t read_buffer_size = 64 * KiB;

  /// Method, target and version together, without the line's end. Higher: longer links work.
  /// Lower: less memory for a stranger's first line. Beyond it: 414, then close.
  std::size_t max_request_line = 8 * KiB;

  /// Request line and all fields together. Higher: larger cookies work. Lower: less memory for each
  /// request in flight. Beyond it: 431, then close. At most 65535: offsets into a head have 16
  /// bits.
  std::size_t max_head_size = 32 * KiB;

  /// Field lines in a head (a trailer may have 32). At most 128: the field table of a request is
  /// fixed. Higher: odd clients work. Lower: less to look through. Beyond it: 431, then close.
  std::size_t max_fields = 100;

  /// The content of one request, decoded, where its route names no limit of its own. Higher: larger
  /// uploads are taken into memory. Beyond it: 413; the connection is kept only if what remains
  /// unread is within `max_drain`.
  std::uint64_t max_request_size = 1 * MiB;

  /// The lines that carry chunk sizes and extensions, over one body. A body cut in one-byte chunks
  /// costs five bytes of this for each byte that it brings. Beyond it: 413, then close.
  std::size_t max_chunk_overhead = 16 * KiB;

  /// The trailer fields that follow a chunked body, together. Beyond it: 431, then close.
  std::size_t max_trailer_size = 8 * KiB;

  /// Answers to pipelined requests gathered before they are sent. Higher: fewer, larger sends.
  /// Lower: less memory held for a client that asks much and reads little. Reaching it is not an
  /// error: what is gathered goes out before the next request is looked at.
  std::size_t max_output = 64 * KiB;

  /// What the whole server has of request bodies in memory at one time, gathered or in a sink that
  /// says so (BodySink::bytes_in_memory()). Higher: more large uploads at once. Lower: a bound on
  /// the server's memory. Beyond it: 503, then close.
  std::size_t max_buffered = 256 * MiB;

  /// An unwanted body of up to this size is read and thrown away so that the connection can be
  /// kept. Higher: more connections survive a refused upload. Beyond it: the answer says close.
  std::size_t max_drain = 64 * KiB;

  /// Bytes thrown away after the last answer, so that closing with unread input does not destroy
  /// that answer on its way (RFC 9112 9.6). More than the socket buffers of both sides may hold: a
  /// client in the middle of a large upload has that much under way before it can read the answer.
  /// Beyond it: closed all the same.
  std::size_t max_linger = 16 * MiB;

  // --- Waits ----------------------------------------------------------------------------------
  // Of the first six exactly one runs at a time. Longer is kinder to slow clients; shorter gives up
  // what a silent one holds (a descriptor; in a blocking server a whole thread) sooner.

  /// From accept, or from the last answer, to the first byte of a request. Then: closed without a
  /// word, since a 408 here could be taken for the answer to a request that is just on its way.
  std::chrono::milliseconds idle_timeout{60'000};

  /// From the first byte of a request to the end of its head. Never restarts, so that a slow drip
  /// gains nothing. Then: 408, close.
  std::chrono::milliseconds head_timeout{10'000};

  /// From the end of the head to the end of the body; restarts with each `timer_restart_bytes`.
  /// Then: 408, close.
  std::chrono::milliseconds body_timeout{30'000};

  /// From the start of the handler to its answer, deferred or not. Then: 503, close; the late
  /// answer is dropped. 0: off, an answer may take any time.
  std::chrono::milliseconds answer_timeout{0};

  /// While output waits for the client to take it; restarts with each `timer_restart_bytes` taken.
  /// Then: the connection is reset, so that nobody takes a part for the whole.
  std::chrono::milliseconds send_timeout{30'000};

  /// From the shutting down of our side to the client's end. Then: closed.
  std::chrono::milliseconds linger_timeout{2'000};

  /// Absolute bound on idle, head and body together: from accept, or from the last answer, to the
  /// end of the request. Then: as the timer that was running. 0: off.
  std::chrono::milliseconds request_timeout{60'000};
};

}  // namespace stagecraft
