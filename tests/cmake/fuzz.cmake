# twill_fuzz: random expressions against everything that simplification promises. A short run here, a long one by hand
# (docs/fuzzing.md). twill_libfuzzer: the same, guided by coverage; not part of `all`, and only where the compiler can.
add_executable(twill_fuzz fuzz/fuzz.cpp)
target_link_libraries(twill_fuzz PRIVATE twill_develop twill_warnings)
target_include_directories(twill_fuzz PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
add_dependencies(twill_runtime_tests twill_fuzz)

add_test(NAME fuzz/rules COMMAND twill_fuzz --seed 1 --seconds 6)
set_tests_properties(fuzz/rules PROPERTIES LABELS "unit;fuzz" TIMEOUT 120)
# Wrong rules must be found, shrink, and fail again as the programs that are printed: one compiler is enough for those.
add_test(NAME fuzz/self_test
  COMMAND twill_fuzz --self-test "${CMAKE_CXX_COMPILER}" "${PROJECT_SOURCE_DIR}/include" "${CMAKE_CURRENT_SOURCE_DIR}")
set_tests_properties(fuzz/self_test PROPERTIES LABELS "fuzz" TIMEOUT 120)

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_executable(twill_libfuzzer EXCLUDE_FROM_ALL fuzz/libfuzzer.cpp)
  target_link_libraries(twill_libfuzzer PRIVATE twill::twill twill_warnings)
  target_include_directories(twill_libfuzzer PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_options(twill_libfuzzer PRIVATE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
  target_link_options(twill_libfuzzer PRIVATE -fsanitize=fuzzer,address,undefined)
endif()
