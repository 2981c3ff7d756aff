// SPDX-License-Identifier: Apache-2.0
// JSON. The wrong schedule is the right one with the steps at `swap` and after it exchanged, so it
// is not written out.
#include "app/witness_file.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "patch/json_numbers.h"

namespace bohr::app {

namespace {

using Json = nlohmann::ordered_json;

// Version 2 has `ignored`, without which the digests are others: a tool that reads version 1 only
// has to refuse it. Witnesses that ignore nothing stay of version 1.
constexpr const char* kSchema = "bohr.witness/1";
constexpr const char* kIgnoringSchema = "bohr.witness/2";

Json name_json(const StepName& name) {
  return {
      {"label", name.label},
      {"where", name.where},
      {"step", {name.step.op.value(), name.step.node.value(), static_cast<int>(name.step.part)}}};
}

Json range_json(const NamedRange& range) {
  return {{"name", range.name}, {"begin", range.begin}, {"end", range.end}};
}

size_t swap_place(const Witness& witness) {
  const auto at = std::mismatch(witness.right.begin(), witness.right.end(), witness.wrong.begin());
  return static_cast<size_t>(at.first - witness.right.begin());
}

// Reads with exceptions, which stay in this file.
Step step_from(const Json& json) {
  const int part = patch::whole<int>(json.at(2));
  if (part < 0 || part > static_cast<int>(Part::destination)) throw std::out_of_range("part");
  return {OpId(patch::whole<int32_t>(json.at(0))), NodeId(patch::whole<int32_t>(json.at(1))),
          static_cast<Part>(part)};
}

StepName name_from(const Json& json) {
  StepName name;
  name.label = json.at("label").get<std::string>();
  name.where = json.at("where").get<std::string>();
  name.step = step_from(json.at("step"));
  return name;
}

NamedRange range_from(const Json& json) {
  return {json.at("name").get<std::string>(), patch::whole<uint64_t>(json.at("begin")),
          patch::whole<uint64_t>(json.at("end"))};
}

Ignored ignored_from(const Json& json) {
  const Json& address = json.at("address");
  return {range_from(json),
          {patch::whole<uint64_t>(address.at(0)), patch::whole<uint64_t>(address.at(1))}};
}

Json ignored_json(const Ignored& ignored) {
  Json json = range_json(ignored.name);
  json["address"] = {ignored.range.begin, ignored.range.end};
  return json;
}

uint64_t number_from(const Json& json) {
  return std::strtoull(json.get<std::string>().c_str(), nullptr, 16);
}

Witness witness_from(const Json& json) {
  Witness witness;
  witness.first = name_from(json.at("first"));
  witness.second = name_from(json.at("second"));
  witness.range = range_from(json.at("range"));
  if (json.contains("damaged")) witness.damaged = name_from(json.at("damaged"));
  for (const Json& output : json.at("outputs")) witness.outputs.push_back(range_from(output));
  for (const Json& filled : json.at("filled")) {
    const ByteRange range{patch::whole<uint64_t>(filled.at(0)),
                          patch::whole<uint64_t>(filled.at(1))};
    witness.filled.push_back({range, patch::whole<uint8_t>(filled.at(2))});
  }
  if (json.contains("ignored"))
    for (const Json& one : json["ignored"]) witness.ignored.push_back(ignored_from(one));
  for (const Json& step : json.at("right")) witness.right.push_back(step_from(step));
  witness.wrong = witness.right;
  const auto swap = patch::whole<size_t>(json.at("swap"));
  std::swap(witness.wrong.at(swap), witness.wrong.at(swap + 1));
  witness.right_is_baseline = json.at("right_is_baseline").get<bool>();
  witness.right_digest = number_from(json.at("right_digest"));
  witness.wrong_digest = number_from(json.at("wrong_digest"));
  witness.replays = patch::whole<int32_t>(json.at("replays"));
  witness.identical = patch::whole<int32_t>(json.at("identical"));
  return witness;
}

}  // namespace

std::string render_witness(const WitnessFile& file) {
  const Witness& witness = file.witness;
  Json json = {{"schema", witness.ignored.empty() ? kSchema : kIgnoringSchema},
               {"recorder", "bohr " BOHR_VERSION},
               {"program", file.program},
               {"subject", file.subject},
               {"program_digest", hex(file.program_digest, 16)},
               {"site", file.site},
               {"strict_threads", file.strict_threads},
               {"first", name_json(witness.first)},
               {"second", name_json(witness.second)},
               {"range", range_json(witness.range)}};
  if (!witness.damaged.label.empty()) json["damaged"] = name_json(witness.damaged);
  json["outputs"] = Json::array();
  for (const NamedRange& output : witness.outputs) json["outputs"].push_back(range_json(output));
  json["filled"] = Json::array();
  for (const Filled& one : witness.filled)
    json["filled"].push_back({one.range.begin, one.range.end, one.byte});
  for (const Ignored& one : witness.ignored) json["ignored"].push_back(ignored_json(one));
  json["right_is_baseline"] = witness.right_is_baseline;
  json["right_digest"] = hex(witness.right_digest, 16);
  json["wrong_digest"] = hex(witness.wrong_digest, 16);
  json["replays"] = witness.replays;
  json["identical"] = witness.identical;
  json["swap"] = swap_place(witness);
  json["right"] = Json::array();
  for (const Step& step : witness.right)
    json["right"].push_back({step.op.value(), step.node.value(), static_cast<int>(step.part)});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<WitnessFile> parse_witness(std::string_view text, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    return Error{"witness-syntax", name, "", why, "give a file that bohr explore wrote"};
  };
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("schema"))
    return refuse("it is no witness");
  const std::string schema = json["schema"].is_string() ? json["schema"].get<std::string>() : "";
  if (!schema.starts_with("bohr.witness/")) return refuse("it is no witness");
  if (schema != kSchema && schema != kIgnoringSchema) {
    return Error{"witness-version", name, "",
                 "it is of version " + schema + ", and this tool reads up to " + kIgnoringSchema,
                 "replay it with the version of bohr that wrote it"};
  }
  try {
    WitnessFile file;
    file.program = json.at("program").get<std::string>();
    file.subject = json.at("subject").get<std::string>();
    file.program_digest = number_from(json.at("program_digest"));
    file.site = json.at("site").get<std::string>();
    file.strict_threads = json.at("strict_threads").get<bool>();
    file.witness = witness_from(json);
    return file;
  } catch (const std::exception& error) {
    return refuse(std::string("a field is missing or wrong: ") + error.what());
  }
}

}  // namespace bohr::app
