#include "support/scratch_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace stagecraft::testing {

ScratchFolder::ScratchFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "stagecraft-test-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + pattern);
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::path(std::string_view name) const {
  return (std::filesystem::path(path_) / name).string();
}

std::string ScratchFolder::write(std::string_view name, std::string_view bytes) const {
  const std::string file = path(name);
  std::filesystem::create_directories(std::filesystem::path(file).parent_path());
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
  return file;
}

}  // namespace stagecraft::testing
