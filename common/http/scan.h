// Finding the next byte that matters, sixteen at a time where the processor can.
#pragma once

#include <array>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace stagecraft::scan {

/// What a byte may be part of, one bit each: the plain way to ask, and the reference that the
/// vector loops below are tested against.
enum Class : std::uint8_t {
  token = 1,   // tchar, RFC 9110 section 5.6.2
  text = 2,    // a byte of a field value: VCHAR, obs-text, SP, HTAB (RFC 9110 section 5.5)
  target = 4,  // a byte of a request target: VCHAR but '#', which begins what is never sent
  host = 8,    // reg-name of RFC 3986 section 3.2.2, without escapes and without ',' (a list of
               // hosts is no host)
  digit = 16,
  hex = 32,
  path = 64  // a byte of a target's path in which there is nothing to decode or to think about
};

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  const auto mark = [&classes](const char* bytes, unsigned kind) {
    for (; *bytes != '\0'; ++bytes) {
      auto& entry = classes[static_cast<unsigned char>(*bytes)];
      entry = static_cast<std::uint8_t>(entry | kind);
    }
  };
  constexpr const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  mark(letters, token | host);
  mark("0123456789", token | host | digit | hex);
  mark("abcdefABCDEF", hex);
  mark("!#$%&'*+-.^_`|~", token);
  mark("-._~!$&'()*+;=", host);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool visible = byte > 0x20 && byte < 0x7f;
    unsigned kinds = classes[byte];
    if (visible || byte >= 0x80 || byte == ' ' || byte == '\t') kinds |= text;
    if (visible && byte != '#') kinds |= target;
    const bool special = byte == '?' || byte == '%' || byte == '\\' || byte == '.';
    if (visible && byte != '#' && !special) kinds |= path;
    classes[byte] = static_cast<std::uint8_t>(kinds);
  }
  return classes;
}

inline constexpr std::array<std::uint8_t, 256> classes = make_classes();

inline bool is(char byte, Class kind) {
  return (classes[static_cast<unsigned char>(byte)] & kind) != 0;
}

/// The first byte in [p, end) that is not of `kind`, or end. One byte at a time.
inline const char* skip_plain(const char* p, const char* end, Class kind) {
  while (p != end && is(*p, kind)) ++p;
  return p;
}

#if defined(__SSE2__)

// Each of these says for 16 bytes which of them certainly belong to a class, as a bit mask. A byte
// not marked is looked up in the table, so a mask may leave out what is rare.

inline __m128i load(const char* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(p)));
}

inline unsigned bits(__m128i bytes) { return static_cast<unsigned>(_mm_movemask_epi8(bytes)); }

/// Letters, and '-': what names of fields are made of. A letter's distance from 'a' (in lower case)
/// is below 26; there is no unsigned comparison, so the range is moved to where the signed one sees
/// it: 'a' to -128.
inline unsigned token_mask(const char* p) {
  const __m128i bytes = load(p);
  const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
  const __m128i moved = _mm_add_epi8(lower, _mm_set1_epi8(static_cast<char>(-128 - 'a')));
  const __m128i letter = _mm_cmplt_epi8(moved, _mm_set1_epi8(-128 + 26));
  return bits(_mm_or_si128(letter, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('-'))));
}

/// Letters, digits, '-' and '.'. Signed, as all bytes above 0x7f are refused anyway.
inline unsigned host_mask(const char* p) {
  const __m128i bytes = load(p);
  const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
  const __m128i moved = _mm_add_epi8(lower, _mm_set1_epi8(static_cast<char>(-128 - 'a')));
  const __m128i letter = _mm_cmplt_epi8(moved, _mm_set1_epi8(-128 + 26));
  const __m128i from_hyphen = _mm_cmpgt_epi8(bytes, _mm_set1_epi8('-' - 1));
  const __m128i to_nine = _mm_cmplt_epi8(bytes, _mm_set1_epi8('9' + 1));
  const __m128i slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/'));
  const __m128i other = _mm_andnot_si128(slash, _mm_and_si128(from_hyphen, to_nine));
  return bits(_mm_or_si128(letter, other));
}

/// All but the controls and DEL; HTAB counts as a control here. A byte is at least 0x20 if the
/// larger of the two (unsigned) is the byte itself.
inline unsigned text_mask(const char* p) {
  const __m128i bytes = load(p);
  const __m128i printable = _mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(0x20)), bytes);
  const __m128i del = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7f));
  return bits(_mm_andnot_si128(del, printable));
}

/// 0x21 to 0x7e without '#': the whole class. Signed: bytes from 0x80 on are negative, so they are
/// not above 0x20.
inline unsigned target_mask(const char* p) {
  const __m128i bytes = load(p);
  const __m128i above = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(0x20));
  const __m128i refused = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7f)),
                                       _mm_cmpeq_epi8(bytes, _mm_set1_epi8('#')));
  return bits(_mm_andnot_si128(refused, above));
}

/// Of these, all but '?', '%', '\\' and '.': the whole class.
inline unsigned path_mask(const char* p) {
  const __m128i bytes = load(p);
  const __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('?')),
                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('%')));
  const __m128i doubtful = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')),
                                        _mm_cmpeq_epi8(bytes, _mm_set1_epi8('.')));
  return target_mask(p) & ~bits(_mm_or_si128(ends, doubtful));
}

template <Class kind>
inline unsigned mask(const char* p) {
  if constexpr (kind == token) return token_mask(p);
  if constexpr (kind == text) return text_mask(p);
  if constexpr (kind == target) return target_mask(p);
  if constexpr (kind == host) return host_mask(p);
  if constexpr (kind == path) return path_mask(p);
}

/// How many of the 16 lowest bits are set before the first that is not. As std::countr_one(), which
/// first asks whether all 32 are; here the upper ones never are.
inline int run_of(unsigned marked) { return __builtin_ctz(~marked); }

/// As skip_plain(), sixteen bytes at a time. It reads nothing outside of [first, end): where fewer
/// than sixteen are left it loads the last sixteen, of which those before `p` are shifted out.
template <Class kind>
inline const char* skip(const char* first, const char* p, const char* end) {
  while (end - p >= 16) {
    const unsigned marked = mask<kind>(p);
    if (marked == 0xffff) {  // a branch, so that the next load need not wait for this mask
      p += 16;
      continue;
    }
    p += run_of(marked);
    if (kind == target || kind == path || !is(*p, kind)) return p;
    ++p;  // a rare member of the class: an underscore in a name, a tab in a value
  }
  if (end - first >= 16) p += run_of(mask<kind>(end - 16) >> (16 - (end - p)));
  return skip_plain(p, end, kind);
}

#else

template <Class kind>
inline const char* skip(const char* /*first*/, const char* p, const char* end) {
  return skip_plain(p, end, kind);
}

#endif

}  // namespace stagecraft::scan
