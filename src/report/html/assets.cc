// SPDX-License-Identifier: Apache-2.0
#include "report/html/assets.h"

namespace bohr::report::html {

// Made by the build, one pair for each file.
extern const unsigned char page_css[], page_js[], d3_js[], plot_js[], notices[];
extern const unsigned long page_css_size, page_js_size, d3_js_size, plot_js_size, notices_size;

namespace {

std::string_view text(const unsigned char* bytes, unsigned long size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

std::string_view page_style() { return text(page_css, page_css_size); }
std::string_view page_script() { return text(page_js, page_js_size); }
Scripts charting_scripts() {
  return {text(d3_js, d3_js_size), text(plot_js, plot_js_size), text(notices, notices_size)};
}

}  // namespace bohr::report::html
