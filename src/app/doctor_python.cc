// SPDX-License-Identifier: Apache-2.0
// Starts the very interpreter, with its own options and under our environment, and asks it whether
// the shim is in it. PyTorch is looked for and not imported, which would take seconds.
#include <fmt/format.h>

#include <cstdlib>

#include "agent/environment.h"
#include "app/ask_program.h"
#include "app/doctor_topics.h"

namespace bohr::app {

namespace {

constexpr std::chrono::seconds kPythonPatience{30};

constexpr const char* kQuestions = R"(
import glob, os, sys
def say(key, value):
    print(f"{key}={value}", flush=True)
say("version", ".".join(map(str, sys.version_info[:3])))
say("shim", "yes" if "_bohr_shim" in sys.modules else "no")
try:
    from importlib.metadata import version
    say("torch", version("torch"))
except Exception:
    pass
for folder in sys.path:
    for below in ("nvidia/cu1*/lib", "nvidia/cuda_cupti/lib"):
        for path in glob.glob(os.path.join(glob.escape(folder), below, "libcupti.so.*[0-9]")):
            say("cupti", path)
)";

std::string setting_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool holds(const std::string& text, const char* word) {
  return text.find(word) != std::string::npos;
}

}  // namespace

Python ask_python(const std::vector<std::string>& call, const AgentFiles& files) {
  std::vector<std::string> command = call;
  command.insert(command.end(), {"-c", kQuestions});
  const std::string before = setting_of(agent::kPythonPathVariable);
  // BOHR_DIR is named for the shim, which starts in armed processes alone; nothing is put there,
  // since no CUDA call is made.
  std::map<std::string, std::string> variables = {{agent::kAgentVariable, files.agent},
                                                  {agent::kDirVariable, "/nonexistent"}};
  if (!files.shim.empty())
    variables[agent::kPythonPathVariable] = before.empty() ? files.shim : files.shim + ":" + before;
  const Said said = ask_program(command, variables, kPythonPatience);
  Python python;
  python.version = answer(said.text, "version");
  python.answered = !python.version.empty();
  python.shim = answer(said.text, "shim") == "yes";
  python.torch = answer(said.text, "torch");
  python.own_cupti = answer(said.text, "cupti");
  return python;
}

Topic shim_topic(const AgentFiles& files, const Python* python) {
  Topic topic{.name = "python shim"};
  topic.facts["path"] = files.shim;
  constexpr const char* kWithout =
      "CUDA calls are recorded; what PyTorch's allocator does is not, so `reuse`, `lifetime` and "
      "`pool` stay unchecked";
  if (files.shim.empty()) {
    topic.works = Works::partly;
    topic.found = "not found beside the tool";
    topic.follows = std::string(kWithout) + "; install python/ beside libbohr_agent.so";
  } else if (python == nullptr) {
    topic.found = files.shim;
    topic.follows = "bohr doctor -- CMD says whether the Python of CMD would load it";
  } else if (!python->answered) {
    topic.works = Works::partly;
    topic.found = "the program's Python gave no answer";
    topic.follows = "does it start at all?";
  } else {
    topic.facts["python"] = python->version;
    topic.facts["torch"] = python->torch;
    topic.facts["loaded"] = python->shim ? "yes" : "no";
    topic.found = fmt::format(
        "{} by Python {}{}", python->shim ? "loaded" : "NOT loaded", python->version,
        python->torch.empty() ? " (without PyTorch)" : " with PyTorch " + python->torch);
    if (!python->shim) {
      topic.works = Works::partly;
      topic.follows = std::string(kWithout) + "; start Python without -I, -E and -S";
    }
  }
  return topic;
}

Topic allocator_topic(const Python* python) {
  Topic topic{.name = "allocator"};
  std::string settings = setting_of("PYTORCH_ALLOC_CONF");
  if (settings.empty()) settings = setting_of("PYTORCH_CUDA_ALLOC_CONF");
  topic.facts["settings"] = settings;
  topic.facts["backend"] = holds(settings, "cudaMallocAsync") ? "cudaMallocAsync" : "native";
  if (python != nullptr && python->answered && python->torch.empty()) {
    topic.facts["backend"] = "";
    topic.found = "the program's Python has no PyTorch";
    topic.follows = "lifetimes of blocks are those of the driver's allocations";
  } else if (!setting_of("PYTORCH_NO_CUDA_MEMORY_CACHING").empty()) {
    topic.facts["backend"] = "none";
    topic.works = Works::partly;
    topic.found = "PYTORCH_NO_CUDA_MEMORY_CACHING is set";
    topic.follows =
        "blocks are the driver's, which are not handed out again as PyTorch's are: a "
        "race that needs that is not there; unset it";
  } else if (holds(settings, "cudaMallocAsync")) {
    topic.found = "PyTorch's back-end is cudaMallocAsync";
    topic.follows =
        "its blocks are the driver's own, whose calls are recorded; that their bytes go from "
        "stream "
        "to stream in order is the driver's word (assumption pool-reuse)";
  } else {
    topic.found = "PyTorch's own (native)";
    if (holds(settings, "expandable_segments:True"))
      topic.found += " with expandable segments, whose blocks are told like others";
    topic.follows = "an allocator that the program itself plugs in is told in the report";
  }
  return topic;
}

}  // namespace bohr::app
