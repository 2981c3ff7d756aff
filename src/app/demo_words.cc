// SPDX-License-Identifier: Apache-2.0
#include "app/demo_words.h"

#include <fmt/format.h>

namespace bohr::app::demo {

std::string lead_text(const Measured& measured) {
  const ArmCount& two = measured.way(Arm::two_streams).count;
  return fmt::format(
      "A small decode layer is right in eager mode and with one stream. In a graph with two "
      "streams "
      "{} of its {} steps were wrong in this run. What follows finds the mistake in one recording, "
      "proves it, repairs it, and prices the repairs.",
      two.wrong, two.steps);
}

std::string program_title() { return "1  A decode layer that is right in eager mode"; }
std::string program_text(const Measured& measured) {
  const std::string where =
      measured.on_gpu() ? measured.device + ", as a CUDA program of its own"
                        : "a simulated GPU: kernels that compute, a caching allocator, graphs, "
                          "virtual time";
  return "A small decode layer runs on " + where +
         ". It has learned four answers by heart and gives them token by token. One projection "
         "makes q and kv in one block, qkv_a. A side stream (kv) rotates kv and stores it in the "
         "cache, while main goes on with q. The layer runs in four ways" +
         (measured.on_gpu() ? ":" : ", under one seed after the other:");
}
std::string counting_text(const Measured& measured) {
  return std::string(
             "A step is wrong when what it leaves is not, to the last bit, what the same kernels "
             "leave one after the other. A run counts up to its first wrong step. Times are ") +
         (measured.on_gpu() ? "the GPU's." : "virtual.");
}

std::string checked_title() { return "2  bohr check: the pair, from one recording"; }
std::string checked_text(const Measured& measured) {
  return std::string(measured.on_gpu() ? "The third way runs under the recorder."
                                       : "Two steps of the third way are recorded.") +
         " No step of them has to go wrong: which waits there are is enough. main drops qkv_a when "
         "it has no use for it any more, and the allocator gives the same bytes to q; the side "
         "stream may still be reading.";
}
std::string eager_text(const Measured& measured) {
  if (measured.way(Arm::eager).checked.verdict.findings.empty()) return {};
  return "The eager run has the same race. It is right because its host is slower than its GPU, "
         "which nothing promises.";
}

std::string proof_title() { return "3  bohr explore: the same failure, every time"; }
std::string proof_text() {
  return "The recorded steps run again, their own kernels on their own memory, in other orders "
         "that "
         "keep every wait of the program, nearest first, until one leaves other bytes. Bisection "
         "then leaves two orders that differ in one swap of neighbours:";
}

std::string repair_title() { return "4  bohr fix: what would mend it, and its price"; }
std::string repair_text(const Measured& measured) {
  return std::string(
             "Each proposal is tried: the check has to find nothing in the program that has it, no "
             "order may leave other bytes, and without any part of it the race has to come back.") +
         (measured.on_gpu() ? ""
                            : " A run is what was recorded: two steps, and what prepares them.");
}

std::string repaired_title() { return "5  The repaired program, recorded anew"; }
std::string repaired_text(const Measured& measured) {
  return std::string("The fourth way drops qkv_a after the join") +
         (measured.on_gpu() ? "." : ", in its source: repair A.");
}

std::string traces_title() {
  return "6  Programs recorded on a GPU, with a mistake and without it";
}

std::string next_command() {
  return "Your program:   bohr run --explore --fix -- python your_program.py";
}

std::string share_text(const stats::Share& share) {
  return fmt::format("{:.1f}% ({:.1f} to {:.1f}%)", 100 * share.share, 100 * share.low,
                     100 * share.high);
}
std::string wrong_text(const ArmCount& count) {
  return fmt::format("{} of {}", count.wrong, count.steps);
}
std::string wrong_runs_text(const ArmCount& count) {
  return fmt::format("{} of {} runs of the third way gave a wrong answer", count.wrong_runs,
                     count.runs);
}
std::string check_word(const Way& way) {
  const Verdict& verdict = way.checked.verdict;
  if (!verdict.findings.empty()) return "RACE";
  return verdict.outcome == Outcome::clean ? "clean" : "undecided";
}
std::string explored_text(const Explored& explored) {
  if (!explored.exploration) return "nothing: no launch was held";
  const Exploration& found = *explored.exploration;
  return fmt::format("{} of {} orders left other bytes; {} replays in all", found.different,
                     found.orders, found.replays);
}
std::string again_text(const Explored& repaired) {
  if (!repaired.exploration) return "nothing in it is suspicious: no launch was held";
  const Exploration& again = *repaired.exploration;
  if (again.exhaustive && again.orders == 0)
    return "every legal order is the recorded one, up to swaps of steps that share no memory";
  return fmt::format("{} of {} orders left other bytes", again.different, again.orders);
}
std::string races_text(const std::vector<std::string>& found) {
  std::string text;
  for (const std::string& one : found) text += (text.empty() ? "" : "; ") + one;
  return text.empty() ? "no race found" : text;
}

}  // namespace bohr::app::demo
