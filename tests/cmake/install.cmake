# What users' own builds do: find_package and pkg-config after installing, and add_subdirectory.
twill_missing_headers("${CMAKE_CURRENT_SOURCE_DIR}/install/main.cpp" missing)
if(missing)
  message(STATUS "twill: tests/install waits for ${missing}")
else()
  foreach(way IN ITEMS find_package add_subdirectory pkg_config)
    add_test(NAME install/${way}
      COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/install/run.sh" ${way}
        "${CMAKE_COMMAND}" "${CMAKE_CXX_COMPILER}" "${CMAKE_GENERATOR}" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
    set_tests_properties(install/${way} PROPERTIES LABELS install SKIP_RETURN_CODE 77)
  endforeach()
endif()
