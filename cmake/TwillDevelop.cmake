# What this project's own executables are built with. Users of twill::twill see none of it.

# Architecture and sanitizers.
add_library(twill_develop INTERFACE)
target_link_libraries(twill_develop INTERFACE twill::twill)
set(twill_sanitize_flags "")
if(TWILL_SANITIZE)
  list(JOIN TWILL_SANITIZE "," sanitizers)
  set(twill_sanitize_flags "-fsanitize=${sanitizers}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(twill_develop INTERFACE "-fsanitize=${sanitizers}")
endif()
target_compile_options(twill_develop INTERFACE ${twill_sanitize_flags} $<$<BOOL:${TWILL_NATIVE}>:-march=native>)

# Warnings.
add_library(twill_warnings INTERFACE)
target_compile_options(twill_warnings INTERFACE
  -Wall -Wextra -Wconversion -Wshadow $<$<BOOL:${TWILL_WERROR}>:-Werror>)

# twill_missing_headers(<file> <variable>): the <twill/...> headers that a source includes and the tree doesn't have (yet).
# It lets a source be committed before the header it needs; the glob over include/ configures again when that appears.
function(twill_missing_headers file variable)
  file(STRINGS "${file}" includes REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]twill/")
  set(missing "")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE ".*[<\"](twill/[^>\"]*)[>\"].*" "\\1" header "${include}")
    if(NOT EXISTS "${PROJECT_SOURCE_DIR}/include/${header}")
      list(APPEND missing "${header}")
    endif()
  endforeach()
  set(${variable} "${missing}" PARENT_SCOPE)
endfunction()

# twill_add_programs(<folder> <options>...): each *.cpp directly in <folder> is a program of its name; each sub-folder
# is one program of the folder's name made of its *.cpp, or has a CMakeLists.txt of its own.
function(twill_add_programs folder)
  file(GLOB entries CONFIGURE_DEPENDS RELATIVE "${folder}" "${folder}/*")
  foreach(entry IN LISTS entries)
    set(sources "")
    if(EXISTS "${folder}/${entry}/CMakeLists.txt")
      add_subdirectory("${folder}/${entry}" "${CMAKE_CURRENT_BINARY_DIR}/${entry}")
      continue()
    elseif(IS_DIRECTORY "${folder}/${entry}")
      file(GLOB sources CONFIGURE_DEPENDS "${folder}/${entry}/*.cpp")
    elseif(entry MATCHES "\\.cpp$")
      set(sources "${folder}/${entry}")
    endif()
    if(NOT sources)
      continue()
    endif()
    set(missing "")
    foreach(source IN LISTS sources)
      twill_missing_headers("${source}" one)
      list(APPEND missing ${one})
    endforeach()
    if(missing)
      message(STATUS "twill: ${entry} waits for ${missing}")
      continue()
    endif()
    get_filename_component(name "${entry}" NAME_WE)
    add_executable(${name} ${sources})
    target_link_libraries(${name} PRIVATE twill_develop twill_warnings)
    target_compile_options(${name} PRIVATE ${ARGN})
  endforeach()
endfunction()
