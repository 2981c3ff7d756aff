# bohr_compile_together(TARGET GROUPS): where CMAKE_UNITY_BUILD is on (release, sanitizers, fuzzers,
# CI), sources of a target are compiled several at a time. Which go together is decided by their
# names alone, so that a new source changes one group and no other, and what does not go together
# (two files of a group that use one name for two things) is seen by who adds it.
function(bohr_compile_together target groups)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  foreach(source ${sources})
    get_filename_component(stem ${source} NAME_WE)
    string(MD5 digest ${stem})
    string(SUBSTRING ${digest} 0 4 digits)
    math(EXPR group "0x${digits} % ${groups}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
