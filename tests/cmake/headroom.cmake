# tests/symbolic/headroom.cpp must compile with a quarter of each compiler's default limit for constant evaluation.
set(headroom "${CMAKE_CURRENT_SOURCE_DIR}/symbolic/headroom.cpp")
add_test(NAME headroom/g++
  COMMAND g++ -std=c++20 -fsyntax-only -fconstexpr-ops-limit=8388608 "-I${PROJECT_SOURCE_DIR}/include" "${headroom}")
set_tests_properties(headroom/g++ PROPERTIES LABELS compile_fail TIMEOUT 120)
if(TWILL_CLANG)
  add_test(NAME headroom/clang
    COMMAND "${TWILL_CLANG}" -std=c++20 -fsyntax-only -fconstexpr-steps=262144 "-I${PROJECT_SOURCE_DIR}/include" "${headroom}")
  set_tests_properties(headroom/clang PROPERTIES LABELS compile_fail TIMEOUT 120)
endif()
