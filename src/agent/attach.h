// SPDX-License-Identifier: Apache-2.0
// The page by which bohr can be let into a process that runs (replay/attach_page.h).
#pragma once

#include <string>

#include "replay/attach_page.h"

namespace bohr::agent {

// Makes the file and maps it, for good. Null where that cannot be done: then nobody can attach.
replay::AttachPage* make_attach_page(const std::string& path);

// The path that is in it now.
std::string socket_in(const replay::AttachPage& page);

}  // namespace bohr::agent
