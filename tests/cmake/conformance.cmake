# twill_conformance and its cases: tests/conformance/data/*.jsonl, one ctest test for each family.
file(GLOB conformance_files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/conformance/*.cpp")
add_executable(twill_conformance ${conformance_files})
target_link_libraries(twill_conformance PRIVATE twill_develop twill_warnings)
add_dependencies(twill_runtime_tests twill_conformance)

foreach(family IN ITEMS symbolic valid alu)
  add_test(NAME conformance/${family}
    COMMAND twill_conformance ${family} "${CMAKE_CURRENT_SOURCE_DIR}/conformance/data/${family}.jsonl")
  set_tests_properties(conformance/${family} PROPERTIES LABELS unit TIMEOUT 300)
endforeach()
