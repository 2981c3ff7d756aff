// SPDX-License-Identifier: Apache-2.0
// Asks in the order in which a recording needs things. A child is armed as a program under
// `bohr run` is; where it finds no CUPTI and the program's Python has one in a wheel, a second one
// maps that first, as PyTorch does.
#include "app/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/doctor_topics.h"

namespace bohr::app {

namespace {

const char* word(Works works) {
  switch (works) {
    case Works::yes:
      return "ok";
    case Works::partly:
      return "partly";
    case Works::no:
      return "NO";
  }
  return "";
}

Topic agent_topic(const Result<AgentFiles>& files, Via via) {
  Topic topic{.name = "recorder"};
  if (files.ok()) {
    topic.found = topic.facts["path"] =
        via == Via::preload ? files.value().preload : files.value().agent;
    return topic;
  }
  topic.works = Works::no;
  topic.found = files.error().what + ": " + files.error().why;
  topic.follows = files.error().remedy;
  return topic;
}

Topic program_topic(const Started& started) {
  Topic topic{.name = "program"};
  topic.found = topic.facts["path"] = started.program;
  for (const Remark& remark : started.remarks) {
    topic.works = std::max(topic.works, remark.works);
    topic.found += "; " + remark.found;
    if (!topic.follows.empty()) topic.follows += "; ";
    topic.follows += remark.follows;
  }
  return topic;
}

void add_probed(const AgentFiles& files, Via via, const Python* python,
                std::vector<Topic>* topics) {
  std::error_code error;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", error);
  Probe probed = probe(self, files, via, "");
  std::string wheel;
  if (via == Via::cupti && python != nullptr && probed.agent_mapped && probed.cupti_path.empty() &&
      !python->own_cupti.empty()) {
    wheel = python->own_cupti;
    probed = probe(self, files, via, wheel);
  }
  topics->push_back(driver_topic(probed));
  topics->push_back(gpu_topic(probed));
  if (via == Via::preload) {
    topics->push_back(preload_topic(probed, files.preload));
  } else {
    topics->push_back(cupti_topic(probed, wheel));
    topics->push_back(subscriber_topic(probed, files.agent));
  }
  topics->push_back(own_memory_topic(probed));
}

}  // namespace

Result<std::vector<Topic>> examine(const DoctorOptions& options) {
  std::vector<Topic> topics;
  std::optional<Started> started;
  if (!options.command.empty()) {
    BOHR_TRY(found, what_starts(options.command, options.via));
    started = std::move(found);
    topics.push_back(program_topic(*started));
  }
  const Result<AgentFiles> files = find_agent(options.lib);
  topics.push_back(agent_topic(files, options.via));
  std::optional<Python> python;
  if (files.ok() && started && !started->python.empty())
    python = ask_python(started->python, files.value());
  const Python* asked = python ? &*python : nullptr;
  if (files.ok()) {
    add_probed(files.value(), options.via, asked, &topics);
    topics.push_back(shim_topic(files.value(), asked));
    topics.push_back(allocator_topic(asked));
  }
  topics.push_back(glibc_topic());
  topics.push_back(folder_topic(options.dir));
  topics.push_back(disk_topic(options.dir, options.max_log));
  topics.push_back(limits_topic(options.max_log));
  return topics;
}

bool would_record(const std::vector<Topic>& topics) {
  return std::none_of(topics.begin(), topics.end(),
                      [](const Topic& topic) { return topic.works == Works::no; });
}

std::string doctor_text(const std::vector<Topic>& topics, const report::Style& style) {
  constexpr size_t kName = 11, kWord = 6;
  report::Page page(style);
  std::string lost, less;
  for (const Topic& topic : topics) {
    page.row({topic.name, word(topic.works)}, {kName, kWord}, topic.found);
    if (!topic.follows.empty()) page.row({"", ""}, {kName, kWord}, topic.follows);
    std::string& list = topic.works == Works::no ? lost : less;
    if (topic.works != Works::yes) list += (list.empty() ? "" : ", ") + topic.name;
  }
  page.blank();
  if (!lost.empty()) {
    page.paragraph("RECORDING WOULD NOT WORK HERE: " + lost + ".", report::Ink::red);
  } else if (!less.empty()) {
    page.paragraph("Recording would work, in part: " + less + ".", report::Ink::yellow);
  } else {
    page.paragraph("Recording would work.", report::Ink::green);
  }
  return page.take();
}

std::string doctor_json(const std::vector<Topic>& topics) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Topic& topic : topics) {
    const char* works = topic.works == Works::no    ? "no"
                        : topic.works == Works::yes ? "yes"
                                                    : "partly";
    list.push_back({{"topic", topic.name},
                    {"works", works},
                    {"found", topic.found},
                    {"follows", topic.follows},
                    {"facts", topic.facts}});
  }
  const nlohmann::ordered_json page = {
      {"schema", "bohr.doctor/1"}, {"would_record", would_record(topics)}, {"topics", list}};
  return page.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace bohr::app
