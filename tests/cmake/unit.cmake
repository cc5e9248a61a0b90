# tests/<layer>/**/*_test.cpp: one executable for each layer folder, one ctest test for each file (by Catch2's file tags).
find_package(Catch2 REQUIRED)

# Catch2 is parsed once for all, not once in each of the files: its precompiled header is shared, so the flags are too.
add_library(twill_test_options INTERFACE)
target_link_libraries(twill_test_options INTERFACE twill_develop twill_warnings Catch2::Catch2)
target_include_directories(twill_test_options INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_definitions(twill_test_options INTERFACE TWILL_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/data" TWILL_VERIFY=1)

# Catch2's own code: neither optimized, nor warned about, nor sanitized, which together take most of a minute.
add_library(twill_test_main STATIC main.cpp)
target_link_libraries(twill_test_main PRIVATE Catch2::Catch2)
target_compile_features(twill_test_main PRIVATE cxx_std_20)
target_compile_options(twill_test_main PRIVATE -O0 -g0 -w)

file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/pch.cpp" CONTENT "// Holds the precompiled header.\n")
add_library(twill_test_pch OBJECT "${CMAKE_CURRENT_BINARY_DIR}/pch.cpp")
target_link_libraries(twill_test_pch PRIVATE twill_test_options)
target_precompile_headers(twill_test_pch PRIVATE catch.hpp)

file(GLOB_RECURSE test_files CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" *_test.cpp)
set(layers "")
list(FILTER test_files INCLUDE REGEX "/")
foreach(file IN LISTS test_files)
  string(REGEX MATCH "^[^/]+" layer "${file}")
  list(APPEND layers "${layer}")
  list(APPEND files_of_${layer} "${file}")
endforeach()
list(REMOVE_DUPLICATES layers)

foreach(layer IN LISTS layers)
  set(target ${layer}_tests)
  add_executable(${target} ${files_of_${layer}})
  target_link_libraries(${target} PRIVATE twill_test_options twill_test_main)
  target_precompile_headers(${target} REUSE_FROM twill_test_pch)
  add_dependencies(twill_runtime_tests ${target})
  foreach(file IN LISTS files_of_${layer})
    get_filename_component(tag "${file}" NAME_WE)
    string(REGEX REPLACE "_test\\.cpp$" "" name "${file}")
    set(arguments --filenames-as-tags "[#${tag}]~[.]")  # hidden cases, which may take hours, stay hidden
    if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
      list(APPEND arguments --allow-running-no-tests)  # a file may hold static_asserts only
    endif()
    add_test(NAME ${name} COMMAND ${target} ${arguments})
    set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 600)
  endforeach()
endforeach()
