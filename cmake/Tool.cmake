# What is run: the tool at <build>/bohr, the agent beside it, the Python shim below python/bohr,
# and where they are installed. The tool finds the other two relative to its own path, in the
# build folder (libbohr_agent.so, python/bohr) and installed (../lib/bohr/...).
file(GLOB_RECURSE _cli CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cli/*.cc
     ${CMAKE_SOURCE_DIR}/src/cli/*.h)
if(_cli AND TARGET bohr_app)
  add_executable(bohr ${_cli})
  target_link_libraries(bohr PRIVATE bohr_app fmt::fmt CLI11::CLI11 bohr_options)
  set_target_properties(bohr PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  install(TARGETS bohr RUNTIME DESTINATION bin)
endif()

# The agent lives in a foreign process: it exports only what it marks visible and brings its own
# C++ runtime. Sanitizers cannot be loaded into a running host, so such builds leave it out.
file(GLOB_RECURSE _agent CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/agent/*.cc
     ${CMAKE_SOURCE_DIR}/src/agent/*.h)
if(_agent AND BOHR_CUDA_FOUND AND TARGET bohr_trace_writer AND NOT BOHR_SANITIZE)
  add_library(bohr_agent SHARED ${_agent})
  target_link_libraries(bohr_agent PRIVATE bohr_trace_writer bohr_cuda_headers bohr_options
                                           ${CMAKE_DL_LIBS})
  if(TARGET bohr_replay_cuda)
    target_link_libraries(bohr_agent PRIVATE bohr_replay_cuda)
  endif()
  target_link_options(bohr_agent PRIVATE -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL
                      -Wl,-z,defs)
  set_target_properties(bohr_agent PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  install(TARGETS bohr_agent LIBRARY DESTINATION lib/bohr)
endif()

file(GLOB_RECURSE _python CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/bohr/*)
list(FILTER _python EXCLUDE REGEX "__pycache__")
if(_python)
  set(_stamp ${CMAKE_BINARY_DIR}/python/bohr.stamp)
  add_custom_command(
    OUTPUT ${_stamp}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/python/bohr
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_SOURCE_DIR}/python/bohr
            ${CMAKE_BINARY_DIR}/python/bohr
    COMMAND ${CMAKE_COMMAND} -E touch ${_stamp}
    DEPENDS ${_python}
    COMMENT "Copying python/bohr beside the tool")
  add_custom_target(bohr_python ALL DEPENDS ${_stamp})
  install(DIRECTORY python/bohr DESTINATION lib/bohr/python
          PATTERN __pycache__ EXCLUDE)
endif()
