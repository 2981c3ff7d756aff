# The libraries, in the order of their dependencies: the table of docs/design.md as CMake sees it.
# tools/check_includes.py checks the same arrows against the actual #include lines.

# bohr_library(NAME GLOB pattern... [EXCLUDE regex] [PUBLIC target...] [PRIVATE target...])
# A static library of all sources that the patterns (below src/) match; an interface library when
# there are headers only; nothing when there is no file. Dependencies that do not exist are left
# out, so a half-grown tree configures. Its name is appended to BOHR_LIBRARIES.
function(bohr_library name)
  cmake_parse_arguments(arg "" "EXCLUDE" "GLOB;PUBLIC;PRIVATE" ${ARGN})
  set(patterns "")
  foreach(pattern ${arg_GLOB})
    list(APPEND patterns ${CMAKE_SOURCE_DIR}/src/${pattern}.cc ${CMAKE_SOURCE_DIR}/src/${pattern}.h)
  endforeach()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${patterns})
  if(arg_EXCLUDE)
    list(FILTER files EXCLUDE REGEX "/src/${arg_EXCLUDE}")
  endif()
  if(NOT files)
    return()
  endif()
  foreach(kind PUBLIC PRIVATE)
    set(present_${kind} "")
    foreach(dependency ${arg_${kind}})
      if(TARGET ${dependency})
        list(APPEND present_${kind} ${dependency})
      endif()
    endforeach()
  endforeach()

  set(sources ${files})
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  if(sources)
    add_library(${name} STATIC ${files})
    target_link_libraries(${name} PUBLIC ${present_PUBLIC} PRIVATE ${present_PRIVATE} bohr_options)
    bohr_compile_together(${name} 5)
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${present_PUBLIC} ${present_PRIVATE})
  endif()
  set(BOHR_LIBRARIES ${BOHR_LIBRARIES} ${name} PARENT_SCOPE)
endfunction()

set(BOHR_LIBRARIES "")
bohr_library(bohr_base GLOB base/*)
bohr_library(bohr_store GLOB store/* PUBLIC bohr_base SQLite::SQLite3)
bohr_library(bohr_model GLOB model/* PUBLIC bohr_base)
bohr_library(bohr_trace_writer GLOB trace/writer/* PUBLIC bohr_base)
bohr_library(bohr_trace GLOB trace/* EXCLUDE trace/writer/
             PUBLIC bohr_model bohr_store bohr_trace_writer
             PRIVATE zstd::zstd fmt::fmt nlohmann_json::nlohmann_json)
bohr_library(bohr_patch GLOB patch/*
             PUBLIC bohr_base bohr_trace_writer PRIVATE nlohmann_json::nlohmann_json)
bohr_library(bohr_order GLOB order/* PUBLIC bohr_model)
bohr_library(bohr_check GLOB check/* PUBLIC bohr_order)

bohr_library(bohr_gpu GLOB gpu/* EXCLUDE gpu/.*/ PUBLIC bohr_base bohr_trace_writer)
bohr_library(bohr_gpu_sim GLOB gpu/sim/* PUBLIC bohr_gpu bohr_base bohr_trace_writer)
bohr_library(bohr_replay GLOB replay/* EXCLUDE replay/.*/ PUBLIC bohr_model bohr_gpu)
bohr_library(bohr_replay_sim GLOB replay/sim/* PUBLIC bohr_replay bohr_model bohr_gpu_sim)
bohr_library(bohr_replay_symbolic GLOB replay/symbolic/* PUBLIC bohr_replay bohr_model)
bohr_library(bohr_replay_remote GLOB replay/remote/* PUBLIC bohr_replay bohr_model)
if(BOHR_CUDA_FOUND)
  bohr_library(bohr_gpu_cuda GLOB gpu/cuda/* PUBLIC bohr_gpu bohr_base bohr_cuda_headers)
  bohr_library(bohr_replay_cuda GLOB replay/cuda/*
               PUBLIC bohr_replay bohr_model bohr_gpu_cuda bohr_cuda_headers)
  if(TARGET bohr_replay_cuda)
    bohr_device_code(bohr_replay_cuda ${CMAKE_SOURCE_DIR}/src/replay/cuda/device.cu
                     bohr::replay::cuda::device_code)
  endif()
endif()

bohr_library(bohr_explore GLOB explore/* PUBLIC bohr_order bohr_replay)
bohr_library(bohr_fix GLOB fix/* PUBLIC bohr_check bohr_explore)
bohr_library(bohr_engine GLOB engine/* PUBLIC bohr_gpu bohr_base)
bohr_library(bohr_stats GLOB stats/* PUBLIC bohr_base PRIVATE Boost::headers)
bohr_library(bohr_stress GLOB stress/*
             PUBLIC bohr_base bohr_stats PRIVATE nlohmann_json::nlohmann_json)
bohr_library(bohr_report GLOB report/* EXCLUDE "report/html/(no_)?graphviz"
             PUBLIC bohr_model PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
include(PageAssets)
bohr_library(bohr_app GLOB app/*
             PUBLIC ${BOHR_LIBRARIES} PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
