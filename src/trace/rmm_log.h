// SPDX-License-Identifier: Apache-2.0
// The log of RMM's logging_resource_adaptor: Thread,Time,Action,Pointer,Size,Stream.
#pragma once

#include <string>
#include <string_view>

#include "trace/allocator_history.h"

namespace bohr::trace {

bool looks_like_rmm_log(std::string_view text);

Result<AllocatorHistory> history_of_rmm_log(std::string_view text, const std::string& source);

}  // namespace bohr::trace
