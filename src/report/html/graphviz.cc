// SPDX-License-Identifier: Apache-2.0
// The slice as SVG by Graphviz's library, which lays it out (dot) and draws it. Elements get
// classes, so that the page's own style colours them in its light and its dark form.
#include <graphviz/gvc.h>

#include <memory>

#include "report/html/page.h"
#include "report/html/slice.h"

// NOLINTBEGIN: these names are the libraries'.
extern "C" {
extern gvplugin_library_t gvplugin_dot_layout_LTX_library;
extern gvplugin_library_t gvplugin_core_LTX_library;

// Where an edge joins two nodes of one rank the library loses 368 bytes; LeakSanitizer asks here.
__attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:gmalloc\n";
}
}
// NOLINTEND

namespace bohr::report::html {

namespace {

constexpr int32_t kColours = 6;  // that the page's style has

void set(void* object, const char* name, const std::string& value) {
  agsafeset(object, const_cast<char*>(name), const_cast<char*>(value.c_str()),
            const_cast<char*>(""));
}

// Newer versions of the library give the length in a wider type.
template <class Length>
std::string render(int (*render_data)(GVC_t*, graph_t*, const char*, char**, Length*), GVC_t* gvc,
                   graph_t* graph) {
  char* data = nullptr;
  Length length = 0;
  if (render_data(gvc, graph, "svg", &data, &length) != 0 || data == nullptr) return {};
  std::string text(data, static_cast<size_t>(length));
  gvFreeRenderData(data);
  return text;
}

// The element alone, for it stands within a page.
std::string element_of(const std::string& document) {
  const size_t begin = document.find("<svg");
  return begin == std::string::npos ? std::string() : document.substr(begin);
}

// With the two plugins that are needed and no other: the one for text asks the machine for its
// fonts, and would lay out the same graph in another way elsewhere.
GVC_t* make_context() {
  static lt_symlist_t plugins[] = {
      {"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
      {"gvplugin_core_LTX_library", &gvplugin_core_LTX_library},
      {nullptr, nullptr}};
  constexpr int kLoadNoOthers = 0;
  return gvContextPlugins(plugins, kLoadNoOthers);
}

class Drawing {
 public:
  Drawing()
      : gvc_(make_context()), graph_(agopen(const_cast<char*>("slice"), Agdirected, nullptr)) {
    agseterr(AGMAX);  // what it cannot do shows in its result
    set(graph_, "rankdir", "TB");
    set(graph_, "bgcolor", "transparent");
    set(graph_, "nodesep", "1.0");
  }
  ~Drawing() {
    if (laid_out_) gvFreeLayout(gvc_, graph_);
    agclose(graph_);
    gvFreeContext(gvc_);
  }
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;

  std::string svg(const Slice& slice) {
    for (const SliceNode& node : slice.nodes) add(node);
    for (const SliceEdge& edge : slice.edges)
      add(edge.from, edge.to, edge.programmatic ? "programmatic" : "order");
    Agedge_t* missing = add(slice.first, slice.second, "missing");
    set(missing, "xlabel", "no order");
    set(missing, "dir", "none");
    set(missing, "constraint", "false");
    set(missing, "fontname", "Helvetica,Arial,sans-serif");
    set(missing, "fontsize", "11");
    laid_out_ = gvLayout(gvc_, graph_, "dot") == 0;
    return laid_out_ ? element_of(render(gvRenderData, gvc_, graph_)) : std::string();
  }

 private:
  void add(const SliceNode& node) {
    const std::string name = "n" + std::to_string(nodes_.size());
    Agnode_t* made = agnode(graph_, const_cast<char*>(name.c_str()), 1);
    set(made, "label", node.label + "\\n" + node.stream);
    set(made, "shape", "box");
    set(made, "style", "rounded");
    set(made, "margin", "0.2,0.08");
    set(made, "fontname", "Helvetica,Arial,sans-serif");
    set(made, "fontsize", "12");
    set(made, "class",
        "stream" + std::to_string(node.colour % kColours) + (node.racing ? " racing" : ""));
    nodes_.push_back(made);
  }
  Agedge_t* add(int32_t from, int32_t to, const char* cls) {
    Agedge_t* made = agedge(graph_, nodes_[static_cast<size_t>(from)],
                            nodes_[static_cast<size_t>(to)], nullptr, 1);
    set(made, "class", cls);
    return made;
  }

  GVC_t* gvc_;
  Agraph_t* graph_;
  std::vector<Agnode_t*> nodes_;
  bool laid_out_ = false;
};

}  // namespace

bool has_graph_layout() { return true; }

std::string graph_svg(const Slice& slice) { return Drawing().svg(slice); }

}  // namespace bohr::report::html
