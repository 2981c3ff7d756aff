# What the HTML page carries: our own style and script, and Observable Plot with D3 beneath it,
# which `npm ci` puts below third_party/page. They are compiled into the tool, so that it needs no
# file beside it and no network. Without them it is built all the same, and the page says that its
# charts are left out.
set(_modules ${CMAKE_SOURCE_DIR}/third_party/page/node_modules)
set(BOHR_D3_JS ${_modules}/d3/dist/d3.min.js CACHE FILEPATH "D3, minified (version 7)")
set(BOHR_PLOT_JS ${_modules}/@observablehq/plot/dist/plot.umd.min.js
    CACHE FILEPATH "Observable Plot, minified")

# bohr_page_asset(TARGET FILE NAME): FILE as the array bohr::report::html::NAME, and NAME_size.
function(bohr_page_asset target file name)
  set(array ${CMAKE_CURRENT_BINARY_DIR}/page_${name}.cc)
  if(NOT EXISTS ${file})
    set(file ${CMAKE_CURRENT_BINARY_DIR}/page_none)
    file(WRITE ${file} "")
  endif()
  add_custom_command(
    OUTPUT ${array}
    COMMAND ${CMAKE_COMMAND} -DBINARY=${file} -DARRAY=${array} -DNAME=bohr::report::html::${name} -P
            ${CMAKE_SOURCE_DIR}/cmake/EmbedBinary.cmake
    DEPENDS ${file} ${CMAKE_SOURCE_DIR}/cmake/EmbedBinary.cmake
    COMMENT "Embedding ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE ${array})
endfunction()

if(NOT EXISTS ${BOHR_D3_JS} OR NOT EXISTS ${BOHR_PLOT_JS})
  message(STATUS "No charting library: HTML pages go without charts (npm ci in third_party/page)")
endif()
# What the two are made of asks for its notice in every copy.
set(_notices "")
foreach(_package d3 @observablehq/plot d3-array delaunator robust-predicates internmap isoformat
                 interval-tree-1d binary-search-bounds)
  file(GLOB _licences ${_modules}/${_package}/LICEN[CS]E*)
  foreach(_licence ${_licences})
    file(READ ${_licence} _text)
    string(APPEND _notices "${_package}\n${_text}\n")
  endforeach()
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/page_notices CONTENT "@_notices@" @ONLY)

bohr_page_asset(bohr_report ${CMAKE_SOURCE_DIR}/src/report/html/page.css page_css)
bohr_page_asset(bohr_report ${CMAKE_SOURCE_DIR}/src/report/html/page.js page_js)
bohr_page_asset(bohr_report ${BOHR_D3_JS} d3_js)
bohr_page_asset(bohr_report ${BOHR_PLOT_JS} plot_js)
bohr_page_asset(bohr_report ${CMAKE_CURRENT_BINARY_DIR}/page_notices notices)

# Graphs are laid out by Graphviz where its library is there, with two of its plugins.
find_path(BOHR_GRAPHVIZ_INCLUDE graphviz/gvc.h)
set(_graphviz "")
foreach(_library gvc cgraph gvplugin_dot_layout gvplugin_core)
  find_library(BOHR_${_library}_LIBRARY ${_library} PATH_SUFFIXES graphviz)
  list(APPEND _graphviz ${BOHR_${_library}_LIBRARY})
endforeach()
if(BOHR_GRAPHVIZ_INCLUDE AND NOT _graphviz MATCHES "NOTFOUND")
  target_sources(bohr_report PRIVATE ${CMAKE_SOURCE_DIR}/src/report/html/graphviz.cc)
  target_include_directories(bohr_report SYSTEM PRIVATE ${BOHR_GRAPHVIZ_INCLUDE})
  target_link_libraries(bohr_report PRIVATE ${_graphviz})
else()
  message(STATUS "No Graphviz library: HTML pages go without graphs (package libgraphviz-dev)")
  target_sources(bohr_report PRIVATE ${CMAKE_SOURCE_DIR}/src/report/html/no_graphviz.cc)
endif()
