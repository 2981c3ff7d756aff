# Looks for a CUDA toolkit: headers (cuda.h, cupti.h) for the agent and the CUDA backends, nvcc
# for the test programs. No CUDA library is linked; the driver and CUPTI are opened at run time.
# Sets BOHR_CUDA_FOUND and the target bohr_cuda_headers.
set(BOHR_CUDA_FOUND FALSE)
if(NOT BOHR_CUDA STREQUAL "OFF")
  find_package(CUDAToolkit QUIET)
  set(_cuda_hints ${CUDAToolkit_INCLUDE_DIRS} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda)
  set(_cuda_suffixes include extras/CUPTI/include ../extras/CUPTI/include)
  find_path(BOHR_CUDA_INCLUDE cuda.h HINTS ${_cuda_hints} PATH_SUFFIXES ${_cuda_suffixes})
  find_path(BOHR_CUPTI_INCLUDE cupti.h HINTS ${_cuda_hints} PATH_SUFFIXES ${_cuda_suffixes})
  find_program(BOHR_NVCC nvcc HINTS ${CUDAToolkit_BIN_DIR} $ENV{CUDA_HOME} /usr/local/cuda
               PATH_SUFFIXES bin)
  if(BOHR_CUDA_INCLUDE AND BOHR_CUPTI_INCLUDE)
    set(BOHR_CUDA_FOUND TRUE)
    add_library(bohr_cuda_headers INTERFACE)
    target_include_directories(bohr_cuda_headers SYSTEM INTERFACE ${BOHR_CUDA_INCLUDE}
                                                                  ${BOHR_CUPTI_INCLUDE})
    message(STATUS "CUDA headers: ${BOHR_CUDA_INCLUDE}; the agent is built")
  elseif(BOHR_CUDA STREQUAL "ON")
    message(FATAL_ERROR "BOHR_CUDA=ON, but cuda.h and cupti.h were not found. Install the CUDA "
                        "toolkit with CUPTI, or set CUDA_HOME to where it is.")
  else()
    message(STATUS "No CUDA toolkit with CUPTI found; the agent and CUDA backends are left out")
  endif()
endif()

# bohr_device_code(TARGET SOURCE.cu NAME): compiles kernels to a fat binary (code for sm_90, and
# PTX for whatever else) and adds it to TARGET as the array NAME (a qualified name). Without nvcc
# the array holds a single "0".
function(bohr_device_code target source name)
  get_filename_component(stem ${source} NAME_WE)
  set(binary ${CMAKE_CURRENT_BINARY_DIR}/${target}_${stem}.fatbin)
  set(array ${CMAKE_CURRENT_BINARY_DIR}/${target}_${stem}.cc)
  if(NOT BOHR_NVCC)
    file(CONFIGURE OUTPUT ${binary} CONTENT "0")
    execute_process(COMMAND ${CMAKE_COMMAND} -DBINARY=${binary} -DARRAY=${array} -DNAME=${name}
                            -P ${CMAKE_SOURCE_DIR}/cmake/EmbedBinary.cmake)
    target_sources(${target} PRIVATE ${array})
    return()
  endif()
  get_filename_component(folder ${source} DIRECTORY)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h)
  add_custom_command(
    OUTPUT ${array}
    COMMAND ${BOHR_NVCC} -std=c++17 -O2 -fatbin -I ${CMAKE_SOURCE_DIR}/src
            -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90
            -o ${binary} ${source}
    COMMAND ${CMAKE_COMMAND} -DBINARY=${binary} -DARRAY=${array} -DNAME=${name} -P
            ${CMAKE_SOURCE_DIR}/cmake/EmbedBinary.cmake
    DEPENDS ${source} ${headers} ${CMAKE_SOURCE_DIR}/cmake/EmbedBinary.cmake
    COMMENT "nvcc ${stem}"
    VERBATIM)
  target_sources(${target} PRIVATE ${array})
endfunction()

# bohr_known_functions(FILE): a line BOHR_KNOWN(name) for each function that the driver's headers
# declare.
function(bohr_known_functions file)
  set(names "")
  foreach(header cuda cudaGL cudaEGL cudaVDPAU cudaProfiler)
    if(EXISTS ${BOHR_CUDA_INCLUDE}/${header}.h)
      file(STRINGS ${BOHR_CUDA_INCLUDE}/${header}.h lines REGEX "CUDAAPI +cu[A-Z][A-Za-z0-9_]*\\(")
      list(TRANSFORM lines REPLACE "^.*CUDAAPI +(cu[A-Z][A-Za-z0-9_]*).*$" "BOHR_KNOWN(\\1)")
      list(APPEND names ${lines})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES names)
  list(SORT names)
  list(JOIN names "\n" text)
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}\n")
endfunction()
