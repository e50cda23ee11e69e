#include "tests/cases/gemm_cases.h"

#include "tests/cases/csv.h"

namespace heddle::cases {

std::vector<GemmCase> gemm_cases() {
  std::vector<GemmCase> cases;
  for (const CsvRow& row : read_csv("gemm.csv"))
    cases.push_back({row.at("id"), row.at("name"), std::stoull(row.at("M")), std::stoull(row.at("N")),
                     std::stoull(row.at("K")), row.at("transA") == "1", row.at("transB") == "1"});
  return cases;
}

}  // namespace heddle::cases
