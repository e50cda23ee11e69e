#include "host/cli/commands.h"
#include "host/cli/json_object.h"
#include "host/cli/output.h"

namespace heddle::cli {

void run(const DevicesArguments& arguments) {
  std::vector<JsonObject> list;
  for (const auto& device : driver::list_devices(config::load(arguments.config))) {
    list.push_back(JsonObject()
                       .add("name", device.name)
                       .add("kind", device.kind)
                       .add("board", device.board.empty() ? std::nullopt : std::optional(device.board))
                       .add("usable", device.usable)
                       .add("reason", device.reason));
    if (!arguments.json)
      print("{:12} {:12} {:9} {}\n", device.name, device.kind, device.usable ? "usable" : "no", device.reason);
  }
  if (arguments.json) JsonObject().add("devices", list).print();
}

}  // namespace heddle::cli
