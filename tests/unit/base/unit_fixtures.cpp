#include "unit_fixtures.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <stdexcept>

namespace {
std::atomic<std::size_t> allocation_count{0};
}  // namespace

// The program's own, so that a test can count.
void* operator new(std::size_t size) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

std::size_t allocations() { return allocation_count.load(std::memory_order_relaxed); }

Pipe::Pipe() {
  if (::pipe2(ends_, O_CLOEXEC) != 0 || ::fcntl(ends_[0], F_SETFL, O_NONBLOCK) != 0) {
    throw std::runtime_error("pipe2");
  }
}

Pipe::~Pipe() {
  ::close(ends_[0]);
  ::close(ends_[1]);
}

std::string Pipe::text() const {
  std::string text;
  std::array<char, 4096> piece;
  for (ssize_t n = 0; (n = ::read(ends_[0], piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(n));
  }
  return text;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "stagecraft-unit-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::path(std::string_view name) const {
  return path_ + '/' + std::string(name);
}

std::string TemporaryFolder::file(std::string_view name, std::string_view content) const {
  std::ofstream(path(name)) << content;
  return path(name);
}

std::string read_file(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  return content.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}
