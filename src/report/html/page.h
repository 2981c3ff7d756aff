// SPDX-License-Identifier: Apache-2.0
// A report as one HTML page that asks the network for nothing: chapters of words, tables and
// figures. Every figure has its numbers beside it as a table, for readers without scripts.
//
// Charts are drawn in the reader's browser by Observable Plot, which is in the page; graphs come as
// SVG that Graphviz laid out. A build without either says so in the figure's place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bohr::report::html {

struct Table {
  std::vector<std::string> columns;  // the first one names the row
  std::vector<std::vector<std::string>> rows;
};

// Values with the interval that each lies in.
struct Bar {
  std::string label;
  double value = 0;
  double low = 0;
  double high = 0;
};
struct Bars {
  std::string axis;  // what is measured, and in which unit
  std::vector<Bar> bars;
};

// The bytes of a block over issue order: which lifetimes they belong to, and who touches them.
struct Span {
  double from = 0;  // place in issue order
  double to = 0;
  uint64_t begin = 0;  // bytes from the lowest one shown
  uint64_t end = 0;
};
struct MemoryLifetime {
  std::string name;
  Span span;
};
struct MemoryAccess {
  std::string label;
  std::string stream;
  int32_t colour = 0;  // of its stream
  bool writes = false;
  bool racing = false;
  double place = 0;         // of its own in issue order
  std::vector<Span> spans;  // the bytes; over which places it may run
};
struct MemoryPicture {
  std::vector<std::string> places;  // by place in issue order: the node there
  std::vector<MemoryLifetime> lifetimes;
  std::vector<MemoryAccess> accesses;
};

struct Figure {
  std::string caption;
  std::string svg;  // a graph
  std::optional<Bars> bars;
  std::optional<MemoryPicture> memory;
  Table numbers;
  std::string missing;  // why there is no picture
};

struct Part {
  std::string paragraph;
  std::string verbatim;  // text as a terminal would show it
  std::optional<Table> table;
  std::optional<Figure> figure;
};
struct Chapter {
  std::string title;
  std::vector<Part> parts;

  void say(std::string paragraph) { parts.push_back({std::move(paragraph), {}, {}, {}}); }
  void show(std::string text) { parts.push_back({{}, std::move(text), {}, {}}); }
  void add(Table table) { parts.push_back({{}, {}, std::move(table), {}}); }
  void add(Figure figure) { parts.push_back({{}, {}, {}, std::move(figure)}); }
};

// What is put into the page; empty where the build had none.
struct Scripts {
  std::string_view d3;
  std::string_view plot;
  std::string_view notices;  // of their licences
};

struct Page {
  std::string title;
  std::string lead;
  std::vector<Chapter> chapters;
  std::string json;  // a document with all numbers, for programs; empty: none
  Scripts scripts;
};

// Equal arguments give equal bytes.
std::string html_page(const Page& page);

// Text as it may stand between tags and in attributes.
std::string escaped(std::string_view text);

}  // namespace bohr::report::html
