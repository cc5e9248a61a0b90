# twill_conformance and its cases: tests/conformance/data/*.jsonl, one ctest test for each family.
file(GLOB conformance_files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/conformance/*.cpp")
list(FILTER conformance_files EXCLUDE REGEX "(_test|/main)\\.cpp$")
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
    COMMAND twill_conformance ${family} "${CMAKE_CURRENT_SOURCE_DIR}/conformance/data/${family}.jsonl")
  set_tests_properties(conformance/${family} PROPERTIES LABELS unit TIMEOUT 300)
endforeach()

# Exit status and messages.
add_test(NAME conformance/command COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/conformance/command.sh" "$<TARGET_FILE:twill_conformance>")
set_tests_properties(conformance/command PROPERTIES LABELS unit TIMEOUT 300)
