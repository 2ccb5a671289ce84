#include "conformance/requirements.h"

#include <fstream>
#include <map>
#include <sstream>

namespace stagecraft::conformance {
namespace {

std::map<std::string, std::string, std::less<>> read_table() {
  std::map<std::string, std::string, std::less<>> table;
  std::ifstream file(STAGECRAFT_CONFORMANCE_DIR "/requirements.tsv");
  std::string line;
  std::getline(file, line);  // the names of the columns
  while (std::getline(file, line)) {
    std::istringstream columns(line);
    std::string id;
    std::string rfc;
    std::string section;
    std::string level;
    std::string requirement;
    std::getline(columns, id, '\t');
    std::getline(columns, rfc, '\t');
    std::getline(columns, section, '\t');
    std::getline(columns, level, '\t');
    std::getline(columns, requirement, '\t');
    table[id] = id;
    table[id] += " (RFC " + rfc + ", section " + section + ", " + level + "): " + requirement;
  }
  return table;
}

}  // namespace

std::string requirement_text(std::string_view id) {
  static const auto table = read_table();
  const auto found = table.find(id);
  return found == table.end() ? std::string(id) + " (not in requirements.tsv)" : found->second;
}

std::string requirements_text(const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) {
    text += (text.empty() ? "" : "\n             ") + requirement_text(id);
  }
  return text;
}

}  // namespace stagecraft::conformance
