#include "tests/cases/csv.h"

#include <fstream>
#include <stdexcept>

namespace heddle::cases {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

}  // namespace

std::vector<CsvRow> read_csv(const std::string& file_name) {
  const std::string path = std::string(HEDDLE_CASES_DIR) + "/" + file_name;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error(path + " is missing or empty");
  const auto header = split(line);
  std::vector<CsvRow> rows;
  while (std::getline(file, line)) {
    if (line.empty()) continue;
    const auto fields = split(line);
    if (fields.size() != header.size())
      throw std::runtime_error(path + ": row " + std::to_string(rows.size() + 2) + " has " +
                               std::to_string(fields.size()) + " fields, the header " + std::to_string(header.size()));
    CsvRow row;
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = fields[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace heddle::cases
