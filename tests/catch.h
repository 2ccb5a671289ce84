// Catch2's headers moved between versions 2 and 3; every test includes this one.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

#include <string>

// Version 2 has its matchers of strings in Catch itself, and one of them under another name.
namespace Catch {
using Matchers::EndsWith;
using Matchers::Matches;
using Matchers::StartsWith;
inline auto Contains(const std::string& text) { return Matchers::ContainsSubstring(text); }
}  // namespace Catch
#else
#include <catch2/catch.hpp>
#endif
