#include "host/api/model_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "common/error.h"
#include "common/files.h"

namespace heddle {
namespace {

using Json = nlohmann::json;

// The parser's messages quote what they stopped at, which may be the whole file.
std::string shortened(std::string message) {
  constexpr std::size_t kLimit = 300;
  if (message.size() > kLimit)
    message = message.substr(0, kLimit / 2) + " ... " + message.substr(message.size() - kLimit / 2);
  for (char& c : message)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) c = '?';
  return message;
}

// A JSON object of a file, read strictly: every access names the place, every key has to be known.
class Section {
 public:
  Section(const Json& json, std::string place, std::initializer_list<const char*> keys)
      : json_(json), place_(std::move(place)) {
    if (!json.is_object()) throw InputError(place_ + " has to be an object");
    for (const auto& [key, value] : json.items())
      if (std::none_of(keys.begin(), keys.end(), [&](const char* known) { return key == known; })) {
        std::string legal;
        for (const char* known : keys) legal += (legal.empty() ? "" : ", ") + std::string(known);
        throw InputError(place_ + ": unknown key \"" + shortened(key) + "\"; known are " + legal);
      }
  }

  bool has(const char* key) const { return json_.contains(key); }
  std::string where(const char* key) const { return place_ + ", key \"" + key + "\""; }

  const Json& at(const char* key) const {
    if (!has(key)) throw InputError(where(key) + " is missing");
    return json_.at(key);
  }
  std::string text(const char* key) const {
    if (!at(key).is_string()) throw InputError(where(key) + " has to be a string");
    return at(key).get<std::string>();
  }
  // Goes to terminals and into error messages.
  std::string name(const char* key) const {
    constexpr std::size_t kLimit = 256;
    const std::string value = text(key);
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
    if (value.empty() || value.size() > kLimit || std::any_of(value.begin(), value.end(), is_control))
      throw InputError(where(key) + " has to have 1 to 256 bytes and no control characters");
    return value;
  }
  std::uint64_t count(const char* key) const { return count_of(at(key), where(key)); }
  float number(const char* key) const {
    const Json& value = at(key);
    if (!value.is_number()) throw InputError(where(key) + " has to be a number");
    const auto number = static_cast<float>(value.get<double>());
    if (!std::isfinite(number)) throw InputError(where(key) + " is too large for fp32");
    return number;
  }
  void require(const char* key, const std::string& only) const {
    if (text(key) != only) throw InputError(where(key) + " is \"" + text(key) + "\"; known is " + only);
  }

  static std::uint64_t count_of(const Json& value, const std::string& where) {
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 31;
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0 || value.get<std::uint64_t>() > kLimit)
      throw InputError(where + " has to be a whole number from 1 to 2^31");
    return value.get<std::uint64_t>();
  }

 private:
  const Json& json_;
  std::string place_;
};

Json parse_json(std::string_view text, const std::string& origin) {
  std::vector<std::set<std::string>> open;  // the keys so far of the objects around the place
  const auto watch = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      throw InputError(origin + ": key \"" + shortened(parsed.get<std::string>()) + "\" is there twice; keep one");
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {  // besides wrong syntax: numbers beyond fp64
    throw InputError(origin + ": not JSON: " + shortened(error.what()));
  }
}

std::uint64_t read_features(const Section& model) {
  const Json& input = model.at("input");
  if (!input.is_array() || input.empty()) throw InputError(model.where("input") + " has to be a list of sizes");
  std::uint64_t features = 1;
  for (const Json& size : input) {
    features *= Section::count_of(size, model.where("input") + ": each size");
    if (features > std::uint64_t{1} << 31) throw InputError(model.where("input") + " has more than 2^31 elements");
  }
  return features;
}

Dense read_layer(const Json& json, const std::string& place) {
  const Section section(json, place, {"type", "units", "activation", "name"});
  section.require("type", "dense");
  Dense layer;
  layer.units = section.count("units");
  if (section.has("name")) layer.name = section.name("name");
  const std::string activation = section.has("activation") ? section.text("activation") : "linear";
  if (activation != "linear" && activation != "relu")
    throw InputError(section.where("activation") + " is \"" + activation + "\"; known are linear, relu");
  layer.activation = activation == "relu" ? Activation::relu : Activation::linear;
  return layer;
}

Sgd read_optimizer(const Json& json, const std::string& place) {
  const Section section(json, place, {"type", "learning_rate", "momentum"});
  section.require("type", "sgd");
  Sgd sgd;
  sgd.learning_rate = section.number("learning_rate");
  if (section.has("momentum")) sgd.momentum = section.number("momentum");
  if (sgd.learning_rate < 0) throw InputError(section.where("learning_rate") + " must not be negative");
  if (sgd.momentum < 0 || sgd.momentum >= 1)
    throw InputError(section.where("momentum") + " has to be at least 0 and below 1");
  return sgd;
}

}  // namespace

ModelDescription parse_model(const std::string& text, const std::string& origin) {
  const Json json = parse_json(text, origin);
  const Section section(json, origin, {"name", "input", "layers", "loss", "optimizer", "metrics", "batch_size"});
  ModelDescription description;
  description.spec.name = section.name("name");
  description.spec.features = read_features(section);
  const Json& layers = section.at("layers");
  if (!layers.is_array() || layers.empty()) throw InputError(section.where("layers") + " has to be a list of layers");
  for (std::size_t i = 0; i < layers.size(); ++i)
    description.spec.layers.push_back(read_layer(layers[i], origin + ", layer " + std::to_string(i + 1)));
  section.require("loss", "sparse_categorical_crossentropy");
  description.optimizer = read_optimizer(section.at("optimizer"), origin + ", optimizer");
  if (section.has("metrics") && section.at("metrics") != Json::array({"accuracy"}))
    throw InputError(section.where("metrics") + " has to be [\"accuracy\"]");
  description.batch_size = section.count("batch_size");
  return description;
}

ModelDescription read_model(const std::filesystem::path& path) {
  return parse_model(read_text(path, kDescriptionLimit), path.string());
}

Sequential make_model(const ModelDescription& description) {
  Sequential model(description.spec.name, description.spec.features);
  for (const Dense& layer : description.spec.layers) model.add(layer);
  return model;
}

void write_weights(const std::filesystem::path& path, const std::vector<NamedTensor>& weights) {
  Json header = Json::object();
  std::uint64_t offset = 0;
  for (const NamedTensor& tensor : weights) {
    const std::uint64_t end = offset + tensor.values.size() * sizeof(float);
    header[tensor.name] = {
        {"dtype", "F32"}, {"shape", {tensor.shape.rows, tensor.shape.columns}}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::vector<std::byte> bytes;
  const auto append = [&](std::span<const std::byte> part) { bytes.insert(bytes.end(), part.begin(), part.end()); };
  const std::uint64_t length = text.size();
  append(std::as_bytes(std::span(&length, 1)));
  append(std::as_bytes(std::span(text)));
  for (const NamedTensor& tensor : weights) append(std::as_bytes(std::span(tensor.values)));
  write_atomically(path, bytes);
}

std::vector<NamedTensor> read_weights(const std::filesystem::path& path) {
  const std::string origin = path.string();
  const std::vector<std::byte> bytes = read_bytes(path);
  std::uint64_t length = 0;
  if (bytes.size() >= sizeof(length)) std::memcpy(&length, bytes.data(), sizeof(length));
  if (bytes.size() < sizeof(length) || length > bytes.size() - sizeof(length))
    throw InputError(origin + ": not a safetensors file, or truncated within its header");
  constexpr std::uint64_t kHeaderLimit = 100'000'000;  // that of the format's own library
  if (length > kHeaderLimit)
    throw InputError(origin + ": not a safetensors file: its header would have " + std::to_string(length) +
                     " bytes, and at most 100,000,000 are legal");
  const Json header = parse_json({reinterpret_cast<const char*>(bytes.data()) + sizeof(length), length}, origin);
  if (!header.is_object()) throw InputError(origin + ": the header is no safetensors header: it has to be an object");
  const auto data = std::span(bytes).subspan(sizeof(length) + length);
  struct Entry {
    std::uint64_t begin;
    NamedTensor tensor;
  };
  std::vector<Entry> entries;
  try {
    for (const auto& [name, value] : header.items()) {
      if (name == "__metadata__") continue;
      const auto shape = value.at("shape").get<std::vector<std::uint64_t>>();
      const auto offsets = value.at("data_offsets").get<std::vector<std::uint64_t>>();
      if (value.at("dtype") != "F32" || shape.size() != 2 || offsets.size() != 2)
        throw InputError(origin + ": tensor " + name + " is not a matrix of fp32 (F32)");
      const bool bounded = shape[0] < (1U << 31) && shape[1] < (1U << 31);
      if (!bounded || offsets[1] > data.size() || offsets[0] > offsets[1] ||
          offsets[1] - offsets[0] != shape[0] * shape[1] * sizeof(float))
        throw InputError(origin + ": tensor " + name + " does not lie within the file; it is truncated or damaged");
      Entry entry{offsets[0], {name, {shape[0], shape[1]}, std::vector<float>(shape[0] * shape[1])}};
      std::memcpy(entry.tensor.values.data(), data.data() + offsets[0], offsets[1] - offsets[0]);
      entries.push_back(std::move(entry));
    }
  } catch (const Json::exception& error) {
    throw InputError(origin + ": the header is no safetensors header: " + error.what());
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
  std::vector<NamedTensor> weights;
  std::uint64_t end = 0;
  for (Entry& entry : entries) {
    if (entry.begin != end)
      throw InputError(origin + ": tensor " + entry.tensor.name + " begins at byte " + std::to_string(entry.begin) +
                       " of the data, not where the one before ends (" + std::to_string(end) +
                       "); the file is damaged");
    end += entry.tensor.values.size() * sizeof(float);
    weights.push_back(std::move(entry.tensor));
  }
  if (end != data.size())
    throw InputError(origin + ": has " + std::to_string(data.size() - end) +
                     " bytes after its last tensor; the file is damaged");
  return weights;
}

}  // namespace heddle
