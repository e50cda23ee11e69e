// Comma-separated files with a header line; fields may be in double quotes.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace heddle::cases {

using CsvRow = std::map<std::string, std::string>;

// Rows by column name. Throws std::runtime_error for a file that is missing or has a row of another length than the
// header.
std::vector<CsvRow> read_csv(const std::string& file_name);

}  // namespace heddle::cases
