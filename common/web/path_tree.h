// Many patterns, and the one that a path matches best.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "web/path_pattern.h"

namespace stagecraft {

/// Patterns by their segments, as a tree. Of several that match a path the one counts that is more
/// exact in the first segment in which they differ: a text before {name: regex}, that before
/// {name}, that before "...". Among expressions the one added first counts.
///
/// A look-up goes into each branch once at most, so it costs no more than there are patterns,
/// whatever the path is; and each expression is matched in time that grows with the path's length,
/// on a stack that does not grow.
///
/// Filled by one thread; from then on any number may look things up.
class PathTree {
 public:
  PathTree();
  PathTree(PathTree&&) noexcept;
  PathTree& operator=(PathTree&&) noexcept;
  ~PathTree();

  /// Adds a pattern with a number. Returns the number that an equal one has already, but for the
  /// names of its parameters, or `number`. Throws std::invalid_argument with RE2's explanation when
  /// an expression is none.
  std::size_t add(const PathPattern& pattern, std::size_t number);

  /// The number of the pattern that matches.
  std::optional<std::size_t> find(std::string_view path) const;

 private:
  struct Node;
  static std::optional<std::size_t> find(const Node& node, std::string_view rest);

  std::unique_ptr<Node> root_;
};

}  // namespace stagecraft
