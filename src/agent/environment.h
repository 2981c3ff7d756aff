// SPDX-License-Identifier: Apache-2.0
// The contract between `bohr run` and what it starts: the environment variables that arm a child,
// and the files that come back. Depends on nothing, so that both sides can include it.
//
// `bohr run` makes a folder (mode 0700) and sets, in the child's environment alone:
//
//   CUDA_INJECTION64_PATH  absolute path of libbohr_agent.so; the driver loads it in cuInit. Or
//   LD_PRELOAD             with absolute path of libbohr_preload.so first
//   BOHR_AGENT             the path of that library, for the Python shim
//   BOHR_DIR               absolute path of the folder; not set: the agent does nothing
//   BOHR_MAX_LOG           bytes that one process may log (decimal); default kDefaultMaxLog
//   BOHR_RECORD            "all": everything goes to the log; not set: of work outside graphs only
//                          the newest is kept, in files beside it (trace/writer/recent_log.h)
//   BOHR_RECENT            bytes of these files (decimal); default kDefaultRecent
//   BOHR_STACKS            "0" none; "python" Python frames alone; "all" native and Python frames
//                          for every call; not set: Python frames for eager work, all in captures
//   BOHR_RANKS             which ranks are recorded, "0,2-3"; not set, or with BOHR_APPLY: all
//                          (agent/ranks.h)
//   BOHR_EXPLORE           path of the Unix socket where bohr listens; not set: no launch is held
//                          until somebody attaches
//   BOHR_EXPLORE_LAUNCH    which launch of each instantiated graph is offered first (decimal; 10)
//   BOHR_KEEP_CODE         "1": machine code that the program loads is kept
//   BOHR_CUPTI             optional: absolute path of libcupti to use where none is mapped yet
//   PYTHONPATH             the shim's folder (it holds sitecustomize.py) put first
//
// Every process below that reaches cuInit leaves in BOHR_DIR
//
//   <pid>.bohr             its event log (mode 0600)
//   <pid>.attach           the page by which bohr is let in while it runs (replay/attach_page.h)
//   <pid>.code/            the machine code that it loaded, where that was asked for
//   <pid>.error            one line for people: why this process was not recorded, or not to its
//                          end. May stand beside a log.
//
// BOHR_APPLY and BOHR_UNRESOLVED name a fix file and what becomes of graphs that it does not repair
// (agent/applying.h). They arm either library where the variables above do; libbohr_preload.so
// needs no other, and records nothing then.
//
// A pid may come back within one run: the second process logs to <pid>-2.bohr, and so on.
// The agent prints nothing, and a guest's exit status is its own.
#pragma once

#include <cstdint>

namespace bohr::agent {

constexpr const char* kInjectionVariable = "CUDA_INJECTION64_PATH";
constexpr const char* kAgentVariable = "BOHR_AGENT";
constexpr const char* kDirVariable = "BOHR_DIR";
constexpr const char* kMaxLogVariable = "BOHR_MAX_LOG";
constexpr const char* kStacksVariable = "BOHR_STACKS";
constexpr const char* kKeepCodeVariable = "BOHR_KEEP_CODE";
constexpr const char* kCuptiVariable = "BOHR_CUPTI";
constexpr const char* kExploreVariable = "BOHR_EXPLORE";
constexpr const char* kExploreLaunchVariable = "BOHR_EXPLORE_LAUNCH";
constexpr const char* kApplyVariable = "BOHR_APPLY";
constexpr const char* kRecordVariable = "BOHR_RECORD";
constexpr const char* kRecentVariable = "BOHR_RECENT";
constexpr const char* kRanksVariable = "BOHR_RANKS";
constexpr const char* kUnresolvedVariable = "BOHR_UNRESOLVED";
constexpr const char* kPythonPathVariable = "PYTHONPATH";
constexpr const char* kPreloadVariable = "LD_PRELOAD";

// Where launchers tell a process its rank and how many there are: torchrun, Open MPI, MPICH and
// Intel MPI, Slurm.
struct RankVariables {
  const char* rank;
  const char* size;
};
constexpr RankVariables kLaunchers[] = {{"RANK", "WORLD_SIZE"},
                                        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                        {"PMI_RANK", "PMI_SIZE"},
                                        {"SLURM_PROCID", "SLURM_NTASKS"}};

constexpr uint64_t kDefaultMaxLog = uint64_t{1} << 30;
constexpr uint64_t kDefaultRecent = uint64_t{256} << 20;
constexpr const char* kCodeSuffix = ".code";
constexpr const char* kLogSuffix = ".bohr";
constexpr const char* kErrorSuffix = ".error";
constexpr const char* kApplySuffix = ".apply";
constexpr const char* kAttachSuffix = ".attach";

}  // namespace bohr::agent
