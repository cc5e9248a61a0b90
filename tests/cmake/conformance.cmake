# twill_conformance and its cases: tests/conformance/data/*.jsonl, one ctest test for each family.
file(GLOB conformance_files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/conformance/*.cpp")
list(FILTER conformance_files EXCLUDE REGEX "(_test|/main|/parity)\\.cpp$")
add_library(twill_conformance_families STATIC ${conformance_files})
target_link_libraries(twill_conformance_families PUBLIC twill_develop PRIVATE twill_warnings)
# As one unit, little optimized: compiling takes longer than running, under sanitizers many times so.
set_target_properties(twill_conformance_families PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
target_compile_options(twill_conformance_families PRIVATE -g0 $<IF:$<BOOL:${TWILL_SANITIZE}>,-O0,-O1>)

add_executable(twill_conformance conformance/main.cpp)
target_link_libraries(twill_conformance PRIVATE twill_conformance_families twill_warnings)
target_link_libraries(conformance_tests PRIVATE twill_conformance_families)
add_dependencies(twill_runtime_tests twill_conformance)

foreach(family IN ITEMS symbolic valid alu rewrite)
  add_test(NAME conformance/${family}
    COMMAND twill_conformance ${family} "${CMAKE_CURRENT_SOURCE_DIR}/conformance/data/${family}.jsonl" --weaker-at-most 2)
  set_tests_properties(conformance/${family} PROPERTIES LABELS unit TIMEOUT 300)
endforeach()

# Exit status and messages.
add_test(NAME conformance/command COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/conformance/command.sh" "$<TARGET_FILE:twill_conformance>")
set_tests_properties(conformance/command PROPERTIES LABELS unit TIMEOUT 300)

# Every 16th symbolic case in constant evaluation too: static_asserts that twill_parity writes from what it gets at run time.
if(NOT TWILL_SANITIZE)
  add_executable(twill_parity conformance/parity.cpp)
  target_link_libraries(twill_parity PRIVATE twill_conformance_families twill_warnings)
  target_compile_options(twill_parity PRIVATE -O1 -g0)
  set(parity_parts 2)
  set(parity_data "${CMAKE_CURRENT_SOURCE_DIR}/conformance/data/symbolic.jsonl")
  set(parity_sources "")
  math(EXPR last_part "${parity_parts} - 1")
  foreach(part RANGE ${last_part})
    set(source "${CMAKE_CURRENT_BINARY_DIR}/parity_${part}.cpp")
    add_custom_command(OUTPUT "${source}"
      COMMAND twill_parity "${parity_data}" ${part} ${parity_parts} "${source}"
      DEPENDS twill_parity "${parity_data}" VERBATIM)
    list(APPEND parity_sources "${source}")
  endforeach()
  add_library(twill_parity_cases OBJECT ${parity_sources})
  target_include_directories(twill_parity_cases PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/conformance")
  target_link_libraries(twill_parity_cases PRIVATE twill_develop twill_warnings)
  target_compile_options(twill_parity_cases PRIVATE -O0 -g0)
endif()
