# tests/programs/*.cpp: what users write, built as users are promised it builds: with these flags and include paths only.
# A custom command, because a target would add the flags of the build type and of twill::twill.
set(flags -std=c++20 -Wall -Wextra -Wconversion -Werror "-I${PROJECT_SOURCE_DIR}/include" ${twill_sanitize_flags})
if(TARGET Boost::headers)
  get_target_property(boost_include Boost::headers INTERFACE_INCLUDE_DIRECTORIES)
  foreach(folder IN LISTS boost_include)
    if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      list(APPEND flags "-I${folder}")
    endif()
  endforeach()
endif()

set(program_folder "${CMAKE_CURRENT_BINARY_DIR}/programs")
file(MAKE_DIRECTORY "${program_folder}")
file(GLOB programs CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/programs/*.cpp")
set(outputs "")
foreach(source IN LISTS programs)
  get_filename_component(name "${source}" NAME_WE)
  twill_missing_headers("${source}" missing)
  if(missing)
    message(STATUS "twill: tests/programs/${name}.cpp waits for ${missing}")
    continue()
  endif()
  set(output "${program_folder}/${name}")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_CXX_COMPILER}" ${flags} -MD -MF "${output}.d" -MT "tests/programs/${name}" "${source}" -o "${output}"
    DEPENDS "${source}" DEPFILE "${output}.d"
    COMMENT "Building program ${name}" VERBATIM)
  list(APPEND outputs "${output}")
  add_test(NAME programs/${name} COMMAND "${output}")
  set_tests_properties(programs/${name} PROPERTIES LABELS program TIMEOUT 300)
endforeach()
add_custom_target(twill_programs ALL DEPENDS ${outputs})
add_dependencies(twill_runtime_tests twill_programs)
