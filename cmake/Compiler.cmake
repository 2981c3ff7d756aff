# Language level, warnings and sanitizers: the same for every target of the project.
# bohr_options carries them; each target links it privately.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# Paths below the checkout are hashed as relative ones, so that checkouts share the cache.
find_program(BOHR_CCACHE ccache)
if(BOHR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${BOHR_CCACHE})
endif()

# Neither __FILE__ nor debug information names the folder of the checkout.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)

find_package(Threads REQUIRED)

add_library(bohr_options INTERFACE)
target_include_directories(bohr_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(bohr_options INTERFACE Threads::Threads)
target_compile_definitions(bohr_options INTERFACE BOHR_VERSION="${PROJECT_VERSION}")
target_compile_options(
  bohr_options
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wno-sign-conversion
            # Designated initialisers that leave the rest at its default are our idiom.
            -Wno-missing-field-initializers)
if(BOHR_WERROR)
  target_compile_options(bohr_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 and 13 raise these on correct standard library code once they inline it.
  target_compile_options(
    bohr_options
    INTERFACE -Wno-restrict
              -Wno-error=maybe-uninitialized
              -Wno-error=array-bounds
              -Wno-error=stringop-overflow
              -Wno-error=stringop-overread
              -Wno-error=free-nonheap-object)
  # Where several sources are compiled as one, each is a file that was included to this warning.
  if(CMAKE_UNITY_BUILD)
    target_compile_options(bohr_options INTERFACE -Wno-subobject-linkage)
  endif()
  # g++ 13 suspects every function that takes a temporary and returns a reference.
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    target_compile_options(bohr_options INTERFACE -Wno-dangling-reference)
  endif()
endif()

if(BOHR_SANITIZE)
  add_compile_options(-fsanitize=${BOHR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${BOHR_SANITIZE})
endif()
if(BOHR_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "BOHR_FUZZ needs clang++ (Debian package: clang): use the preset 'fuzz'.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
