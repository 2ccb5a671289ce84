#include "web/path_tree.h"

#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace stagecraft {

namespace {

// So that a string_view can be looked up without making a string of it.
struct Hash : std::hash<std::string_view> {
  using is_transparent = void;
};

// What one expression may take for its automaton, which grows while it is used. Beyond that it is
// matched by a slower one, still in linear time.
constexpr std::int64_t max_expression_memory = 1 << 20;

std::unique_ptr<const re2::RE2> compile(std::string_view expression) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(max_expression_memory);
  options.set_never_capture(true);
  auto compiled = std::make_unique<const re2::RE2>(
      re2::StringPiece(expression.data(), expression.size()), options);
  if (!compiled->ok()) {
    throw std::invalid_argument("the expression " + std::string(expression) +
                                " in a pattern: " + compiled->error());
  }
  return compiled;
}

}  // namespace

// What can follow from one place on. `here`: the path may end here. `below`: any other may follow.
struct PathTree::Node {
  struct Expression {
    std::string text;
    std::unique_ptr<const re2::RE2> compiled;
    std::unique_ptr<Node> next;
  };

  Node& follow(const PathPattern::Segment& segment);

  std::unordered_map<std::string, std::unique_ptr<Node>, Hash, std::equal_to<>> texts;
  std::vector<Expression> expressions;
  std::unique_ptr<Node> any;
  std::optional<std::size_t> here, below;
};

PathTree::Node& PathTree::Node::follow(const PathPattern::Segment& segment) {
  const auto there = [](std::unique_ptr<Node>& next) -> Node& {
    if (next == nullptr) next = std::make_unique<Node>();
    return *next;
  };
  switch (segment.kind) {
    case PathPattern::Kind::text:
      return there(texts[std::string(segment.text)]);
    case PathPattern::Kind::any:
      return there(any);
    case PathPattern::Kind::expression:
      break;
  }
  const auto found =
      std::find_if(expressions.begin(), expressions.end(),
                   [&](const Expression& expression) { return expression.text == segment.text; });
  if (found != expressions.end()) return *found->next;
  expressions.push_back(
      {std::string(segment.text), compile(segment.text), std::make_unique<Node>()});
  return *expressions.back().next;
}

PathTree::PathTree() : root_(std::make_unique<Node>()) {}
PathTree::PathTree(PathTree&&) noexcept = default;
PathTree& PathTree::operator=(PathTree&&) noexcept = default;
PathTree::~PathTree() = default;

std::size_t PathTree::add(const PathPattern& pattern, std::size_t number) {
  Node* node = root_.get();
  for (const PathPattern::Segment& segment : pattern.segments) node = &node->follow(segment);
  std::optional<std::size_t>& place = pattern.all_below ? node->below : node->here;
  if (!place) place = number;
  return *place;
}

std::optional<std::size_t> PathTree::find(std::string_view path) const {
  return path.starts_with('/') ? find(*root_, path) : std::nullopt;
}

// Calls itself as deep as patterns have segments, not as paths have.
std::optional<std::size_t> PathTree::find(const Node& node, std::string_view rest) {
  if (rest.empty()) return node.here;
  const std::string_view segment = rest.substr(1, std::min(rest.find('/', 1), rest.size()) - 1);
  const std::string_view tail = rest.substr(1 + segment.size());
  if (const auto text = node.texts.find(segment); text != node.texts.end()) {
    if (const auto found = find(*text->second, tail)) return found;
  }
  for (const Node::Expression& expression : node.expressions) {
    const re2::StringPiece piece(segment.data(), segment.size());
    if (!re2::RE2::FullMatch(piece, *expression.compiled)) continue;
    if (const auto found = find(*expression.next, tail)) return found;
  }
  if (node.any != nullptr && !segment.empty()) {
    if (const auto found = find(*node.any, tail)) return found;
  }
  return node.below;
}

}  // namespace stagecraft
