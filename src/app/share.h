// SPDX-License-Identifier: Apache-2.0
// `bohr share`: a run or a trace as a bundle that can be given away: what findings rest on, and no
// names of people or machines, no arguments, no memory contents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/share_words.h"
#include "base/result.h"
#include "trace/tar.h"

namespace bohr::app {

struct Bundle {
  std::vector<trace::TarFile> files;  // the first is MANIFEST.txt, which says what follows
  std::vector<Replacement> replaced;  // for the sender's eyes only
  std::vector<std::string> left_out;  // files of the folder
  std::string verdict;                // what a check of it says, beside the original's
};

// From the folder of a run, a log, a trace or a bundle.
Result<Bundle> make_bundle(const std::string& path);

// Where it goes if nothing else is asked for: "bohr-1.share.tar.zst" in the working folder.
std::string default_bundle_name(const std::string& path);

// Writes it and reads it back; returns its size. Error `share-exists` where there is a file
// already, `share-leak` where one of the names that were to be replaced is still in it (it is gone
// again then).
Result<uint64_t> write_bundle(const Bundle& bundle, const std::string& output);

}  // namespace bohr::app
