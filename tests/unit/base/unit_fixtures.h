// What several tests of this folder need: a pipe to log into, and a folder to write to.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// A pipe with both ends open; what is written to it is read from it.
class Pipe {
 public:
  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int write_end() const { return ends_[1]; }
  /// All that was written since the last call. Does not wait. A pipe holds 64 KiB.
  std::string text() const;

 private:
  int ends_[2] = {-1, -1};
};

/// A folder of its own, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(std::string_view name) const;
  /// Makes a file with this content and returns its path.
  std::string file(std::string_view name, std::string_view content) const;

 private:
  std::string path_;
};

std::string read_file(const std::string& path);

/// TEXT cut at its line ends.
std::vector<std::string> lines_of(const std::string& text);

/// How often operator new has been called in this program.
std::size_t allocations();
