// SPDX-License-Identifier: Apache-2.0
// What a figure draws travels as JSON in a script element of no executable type, every `<` in it
// escaped, so no name in a trace can end the element. A policy in the head forbids the page every
// request.
#include "report/html/page.h"

#include <nlohmann/json.hpp>

#include "report/html/assets.h"
#include "report/layout.h"

namespace bohr::report::html {

namespace {

using Json = nlohmann::ordered_json;

std::string element(const std::string& tag, std::string_view text) {
  return "<" + tag + ">" + escaped(text) + "</" + tag + ">\n";
}

// `<` only stands in strings of JSON, where an escape means the same.
std::string for_script(const std::string& json) {
  std::string text;
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

std::string table_html(const Table& table) {
  std::string text = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const std::string& column : table.columns)
    text += "<th scope=\"col\">" + escaped(column) + "</th>";
  text += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    text += "<tr>";
    for (size_t i = 0; i < row.size(); ++i)
      text +=
          (i == 0 ? "<th scope=\"row\">" : "<td>") + escaped(row[i]) + (i == 0 ? "</th>" : "</td>");
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

Json bars_json(const Bars& bars) {
  Json list = Json::array();
  for (const Bar& bar : bars.bars)
    list.push_back(
        {{"label", bar.label}, {"value", bar.value}, {"low", bar.low}, {"high", bar.high}});
  return {{"kind", "bars"}, {"axis", bars.axis}, {"bars", list}};
}

Json span_json(const Span& span) {
  return {{"from", span.from}, {"to", span.to}, {"begin", span.begin}, {"end", span.end}};
}

Json memory_json(const MemoryPicture& picture) {
  Json json = {{"kind", "memory"}, {"places", picture.places}};
  Json& lifetimes = json["lifetimes"] = Json::array();
  for (const MemoryLifetime& one : picture.lifetimes) {
    lifetimes.push_back(span_json(one.span));
    lifetimes.back()["name"] = one.name;
  }
  Json& accesses = json["accesses"] = Json::array();
  for (const MemoryAccess& one : picture.accesses) {
    Json spans = Json::array();
    for (const Span& span : one.spans) spans.push_back(span_json(span));
    accesses.push_back({{"label", one.label},
                        {"stream", one.stream},
                        {"colour", one.colour},
                        {"writes", one.writes},
                        {"racing", one.racing},
                        {"place", one.place},
                        {"spans", spans}});
  }
  return json;
}

class Writer {
 public:
  explicit Writer(const Page& page) : page_(page) {}

  std::string write() {
    std::string body = "<main>\n<header>\n" + element("h1", page_.title);
    if (!page_.lead.empty()) body += "<p class=\"lead\">" + escaped(page_.lead) + "</p>\n";
    body += "</header>\n";
    for (const Chapter& chapter : page_.chapters) body += chapter_html(chapter);
    body += "</main>\n";
    return head() + body + tail();
  }

 private:
  bool draws() const { return !page_.scripts.d3.empty() && !page_.scripts.plot.empty(); }

  std::string head() const {
    return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
           "script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n<title>" +
           escaped(page_.title) + "</title>\n<style>\n" + std::string(page_style()) +
           "</style>\n</head>\n<body>\n";
  }

  std::string tail() const {
    std::string text = "<script type=\"application/json\" id=\"figures\">" +
                       for_script(figures_.dump()) + "</script>\n";
    if (!page_.json.empty())
      text += "<script type=\"application/json\" id=\"document\">" + for_script(page_.json) +
              "</script>\n";
    if (draws()) {
      text += "<script type=\"text/plain\" id=\"notices\">" + std::string(page_.scripts.notices) +
              "</script>\n";
      for (const std::string_view script : {page_.scripts.d3, page_.scripts.plot, page_script()})
        text += "<script>" + std::string(script) + "</script>\n";
    }
    return text + "</body>\n</html>\n";
  }

  std::string chapter_html(const Chapter& chapter) {
    std::string text = "<section>\n" + element("h2", chapter.title);
    for (const Part& part : chapter.parts) {
      if (!part.paragraph.empty()) text += element("p", part.paragraph);
      if (!part.verbatim.empty()) text += element("pre", part.verbatim);
      if (part.table) text += table_html(*part.table);
      if (part.figure) text += figure_html(*part.figure);
    }
    return text + "</section>\n";
  }

  std::string figure_html(const Figure& figure) {
    std::string text = "<figure>\n";
    if (!figure.svg.empty()) {
      text += "<div class=\"graph scroll\">" + figure.svg + "</div>\n";
    } else if (!figure.missing.empty()) {
      text += "<p class=\"missing\">" + escaped(figure.missing) + "</p>\n";
    } else if (!draws()) {
      text +=
          "<p class=\"missing\">This build has no charting library in it, so the chart is left "
          "out; its numbers follow.</p>\n";
    } else {
      text +=
          "<div class=\"plot\" data-figure=\"" + std::to_string(figures_.size()) + "\"></div>\n";
      figures_.push_back(figure.bars ? bars_json(*figure.bars) : memory_json(*figure.memory));
    }
    text += "<figcaption>" + escaped(figure.caption) + "</figcaption>\n";
    if (!figure.numbers.rows.empty())
      text += "<details open>\n<summary>As numbers</summary>\n" + table_html(figure.numbers) +
              "</details>\n";
    return text + "</figure>\n";
  }

  const Page& page_;
  Json figures_ = Json::array();
};

}  // namespace

std::string escaped(std::string_view raw) {
  std::string text;
  for (const char c : raw) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      default:
        text += c;
    }
  }
  return text;
}

std::string html_page(const Page& page) { return Writer(page).write(); }

}  // namespace bohr::report::html
