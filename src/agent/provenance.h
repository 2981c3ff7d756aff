// SPDX-License-Identifier: Apache-2.0
// What the log says of how its process was run: versions of what it loaded and the settings that
// are on the allow-list (allowed.h). Nothing else of its environment and arguments is kept.
#pragma once

#include <string>
#include <vector>

#include "agent/provenance_words.h"
#include "agent/recorder.h"

namespace bohr::agent {

std::vector<std::string> own_arguments();
void add_settings(Recorder& r);
// What is mapped now and was not told before. Takes no lock of the loader, which another thread may
// hold while it waits for the driver.
void add_libraries(Recorder& r);

}  // namespace bohr::agent
