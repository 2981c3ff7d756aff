# Finds what the core needs and names all that is missing at once, with its Debian package.
# Results are imported targets: SQLite::SQLite3, zstd::zstd, fmt::fmt, CLI11::CLI11,
# nlohmann_json::nlohmann_json, Boost::headers, GTest::gtest_main.
set(BOHR_SQLITE_INCLUDE_DIR "" CACHE PATH "Folder of sqlite3.h where it is not installed")
set(_missing_text "")
set(_missing_packages "")

macro(_missing what package)
  string(APPEND _missing_text "\n  - ${what}: Debian and Ubuntu package ${package}")
  list(APPEND _missing_packages ${package})
endmacro()

# An imported target from one header and one library, for packages without a CMake file.
function(_import target include library)
  add_library(${target} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${library}
                                             INTERFACE_INCLUDE_DIRECTORIES ${include})
endfunction()

# Runtime images have libsqlite3.so.0 without the header; a header folder given by hand is enough.
find_path(BOHR_SQLITE_HEADER sqlite3.h HINTS ${BOHR_SQLITE_INCLUDE_DIR})
find_library(BOHR_SQLITE_LIBRARY NAMES sqlite3 libsqlite3.so.0)
if(BOHR_SQLITE_HEADER AND BOHR_SQLITE_LIBRARY)
  _import(SQLite::SQLite3 ${BOHR_SQLITE_HEADER} ${BOHR_SQLITE_LIBRARY})
elseif(BOHR_SQLITE_LIBRARY)
  _missing("sqlite3.h (${BOHR_SQLITE_LIBRARY} is here, so -DBOHR_SQLITE_INCLUDE_DIR=DIR with the \
header's folder also does)" libsqlite3-dev)
else()
  _missing("SQLite 3" libsqlite3-dev)
endif()

find_path(BOHR_ZSTD_HEADER zstd.h)
find_library(BOHR_ZSTD_LIBRARY NAMES zstd libzstd.so.1)
if(BOHR_ZSTD_HEADER AND BOHR_ZSTD_LIBRARY)
  _import(zstd::zstd ${BOHR_ZSTD_HEADER} ${BOHR_ZSTD_LIBRARY})
else()
  _missing("zstd" libzstd-dev)
endif()

find_package(fmt QUIET)
if(NOT fmt_FOUND)
  _missing("{fmt}" libfmt-dev)
endif()
find_package(CLI11 QUIET)
if(NOT CLI11_FOUND)
  _missing("CLI11" libcli11-dev)
endif()
find_package(nlohmann_json QUIET)
if(NOT nlohmann_json_FOUND)
  _missing("nlohmann-json" nlohmann-json3-dev)
endif()
find_package(Boost QUIET)
if(NOT Boost_FOUND)
  _missing("Boost.Math" libboost-dev)
endif()
if(BOHR_TESTS)
  find_package(GTest QUIET)
  if(NOT GTest_FOUND AND NOT BOHR_FUZZ)
    _missing("GoogleTest (or -DBOHR_TESTS=OFF)" libgtest-dev)
  endif()
  find_package(benchmark QUIET)
endif()

if(_missing_text)
  list(JOIN _missing_packages " " _packages)
  message(FATAL_ERROR "Bohr cannot be built here; missing:${_missing_text}\n"
                      "Install with:  sudo apt-get install ${_packages}\n")
endif()
