# What is run: the tool at <build>/bohr, the agent beside it, the Python shim below python/,
# and where they are installed. The tool finds the other two relative to its own path, in the
# build folder (libbohr_agent.so, python/) and installed (../lib/bohr/...).
file(GLOB_RECURSE _cli CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cli/*.cc
     ${CMAKE_SOURCE_DIR}/src/cli/*.h)
if(_cli AND TARGET bohr_app)
  add_executable(bohr ${_cli})
  bohr_compile_together(bohr 3)
  target_link_libraries(bohr PRIVATE bohr_app fmt::fmt CLI11::CLI11 bohr_options)
  # Graphviz's plugins lie in a folder of their own, which an installed tool has to know, too.
  set_target_properties(bohr PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
                                        INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS bohr RUNTIME DESTINATION bin)
endif()

# What `bohr demo --cuda` runs.
if(BOHR_NVCC AND TARGET bohr)
  set(_layer ${CMAKE_SOURCE_DIR}/tests/cuda/programs/demo_layer.cu)
  add_custom_command(
    OUTPUT ${CMAKE_BINARY_DIR}/bohr_demo_layer
    COMMAND ${BOHR_NVCC} -std=c++20 -O2 -lineinfo -gencode arch=compute_80,code=compute_80
            -gencode arch=compute_90,code=sm_90 -o ${CMAKE_BINARY_DIR}/bohr_demo_layer ${_layer}
    DEPENDS ${_layer} ${CMAKE_SOURCE_DIR}/tests/cuda/programs/program.h
    COMMENT "nvcc demo_layer"
    VERBATIM)
  add_custom_target(bohr_demo_program ALL DEPENDS ${CMAKE_BINARY_DIR}/bohr_demo_layer)
  install(PROGRAMS ${CMAKE_BINARY_DIR}/bohr_demo_layer DESTINATION lib/bohr)
endif()

# Two libraries that live in foreign processes: the agent, which the driver loads and which asks
# CUPTI, and the one that is preloaded and does without. Each exports only what its map names, brings
# its own C++ runtime, and asks for no glibc newer than 2.28 (libdl and libpthread are named because
# they hold part of the C library there). Sanitizers cannot be loaded into a running host, so such
# builds leave them out.
function(bohr_guest_library name exports)
  bohr_compile_together(${name} 1)
  target_link_libraries(${name} PRIVATE bohr_agent_parts)
  target_link_options(
    ${name} PRIVATE -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL -Wl,-z,defs
    -Wl,--version-script=${exports}
    -Wl,--push-state,--no-as-needed -l:libdl.so.2 -l:libpthread.so.0 -Wl,--pop-state)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
                                           LINK_DEPENDS ${exports})
  install(TARGETS ${name} LIBRARY DESTINATION lib/bohr)
endfunction()

file(GLOB _agent CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/agent/*.cc)
file(GLOB _preload CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/agent/preload/*.cc)
if(_agent AND BOHR_CUDA_FOUND AND TARGET bohr_trace_writer AND NOT BOHR_SANITIZE)
  set(_floor ${CMAKE_SOURCE_DIR}/cmake/agent/glibc_floor.cc)
  # What others look for by name has to be in the libraries themselves.
  set(_inject ${CMAKE_SOURCE_DIR}/src/agent/inject.cc)
  set(_shim ${CMAKE_SOURCE_DIR}/src/agent/shim_api.cc)
  list(REMOVE_ITEM _agent ${_inject} ${_shim})
  add_library(bohr_agent_parts STATIC ${_agent})
  bohr_compile_together(bohr_agent_parts 5)
  target_link_libraries(bohr_agent_parts PUBLIC bohr_trace_writer bohr_patch bohr_cuda_headers
                                                bohr_options)
  if(TARGET bohr_replay_cuda)
    target_link_libraries(bohr_agent_parts PUBLIC bohr_replay_cuda)
  endif()
  add_library(bohr_agent SHARED ${_inject} ${_shim} ${_floor})
  bohr_guest_library(bohr_agent ${CMAKE_SOURCE_DIR}/cmake/agent/exports.map)
  add_library(bohr_preload SHARED ${_preload} ${_shim} ${_floor})
  target_compile_definitions(bohr_preload PRIVATE BOHR_DEFINES_DLSYM)
  bohr_known_functions(${CMAKE_BINARY_DIR}/preload/known_functions.inc)
  target_include_directories(bohr_preload PRIVATE ${CMAKE_BINARY_DIR}/preload)
  # dlsym is handed on by a tail call, in every build.
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/agent/preload/preload.cc
                              PROPERTIES COMPILE_OPTIONS "-O2;-foptimize-sibling-calls")
  bohr_guest_library(bohr_preload ${CMAKE_SOURCE_DIR}/cmake/agent/preload_exports.map)
endif()

file(GLOB_RECURSE _python CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/python
     ${CMAKE_SOURCE_DIR}/python/*.py)
if(_python)
  set(_copies "")
  set(_from "")
  foreach(_file ${_python})
    set(_to ${CMAKE_BINARY_DIR}/python/${_file})
    get_filename_component(_folder ${_to} DIRECTORY)
    list(APPEND _copies COMMAND ${CMAKE_COMMAND} -E make_directory ${_folder})
    list(APPEND _copies COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/python/${_file} ${_to})
    list(APPEND _from ${CMAKE_SOURCE_DIR}/python/${_file})
  endforeach()
  set(_stamp ${CMAKE_BINARY_DIR}/python.stamp)
  add_custom_command(
    OUTPUT ${_stamp}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/python ${_copies}
    COMMAND ${CMAKE_COMMAND} -E touch ${_stamp}
    DEPENDS ${_from}
    COMMENT "Copying python/ beside the tool")
  add_custom_target(bohr_python ALL DEPENDS ${_stamp})
  install(DIRECTORY python/ DESTINATION lib/bohr/python FILES_MATCHING PATTERN "*.py")
endif()
