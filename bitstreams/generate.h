// A folder that holds all that a machine with Vitis needs to build the xclbin of a card; nothing of this repository is
// needed beside it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bitstreams/card.h"

namespace heddle::bitstreams {

// The linker's configuration file: instances, dies, memory of every pointer.
std::string link_configuration(const Card& card);

// A source with what synthesis has to define before it: defines of a project are lost when an IP is packaged.
std::string synthesis_source(const std::string& text);

// Variables for build.mk.
std::string makefile(const Card& card);

// Writes the folder: sources (packages first, in this order), kernel.xml, link.cfg, identity.json, Makefile, build.mk,
// package_kernel.tcl, sources.f. `fixed` is the folder with the files that are the same for all cards.
void generate(const Card& card, const std::vector<std::filesystem::path>& sources, const std::filesystem::path& fixed,
              const std::filesystem::path& output);

}  // namespace heddle::bitstreams
