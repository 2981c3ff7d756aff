// SPDX-License-Identifier: Apache-2.0
// Files that the build put into the tool (cmake/PageAssets.cmake).
#pragma once

#include <string_view>

#include "report/html/page.h"

namespace bohr::report::html {

std::string_view page_style();   // page.css
std::string_view page_script();  // page.js
// Observable Plot and D3 beneath it; empty where they were not there when this was built.
Scripts charting_scripts();

}  // namespace bohr::report::html
