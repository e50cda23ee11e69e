#include "config/config.h"

#include "host/cli/commands.h"
#include "host/cli/json_object.h"
#include "host/cli/output.h"

namespace heddle::cli {
namespace {

JsonObject to_json(const config::Config& c) {
  const JsonObject model = JsonObject()
                               .add("banks", c.model.banks)
                               .add("bytes_per_cycle", c.model.bytes_per_cycle)
                               .add("read_latency", c.model.read_latency)
                               .add("write_latency", c.model.write_latency)
                               .add("stall_percent", c.model.stall_percent);
  return JsonObject()
      .add("name", c.name)
      .add("cores", c.cores)
      .add("rows", config::kRows)
      .add("cols", c.cols)
      .add("weight_fifo", c.weight_fifo)
      .add("ub_lines", c.ub_lines)
      .add("ub_banks", c.ub_banks)
      .add("acc_rows", c.acc_rows)
      .add("queue_depth", c.queue_depth)
      .add("axi_ports", c.axi_ports)
      .add("axi_bytes", c.axi_bytes)
      .add("mhz", c.mhz)
      .add("model", model);
}

}  // namespace

void run(const ConfigArguments& arguments) {
  if (arguments.list) {
    const auto presets = config::presets();
    if (arguments.json) return JsonObject().add("presets", presets).print();
    for (const std::string& preset : presets) print("{}\n", preset);
    return;
  }
  const config::Config c = config::load(arguments.name);
  if (arguments.json) return to_json(c).print();
  print("{}", config::to_toml(c));
}

}  // namespace heddle::cli
