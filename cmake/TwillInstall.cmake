# Install rules: headers, CMake package and pkg-config file. Nothing depends on the architecture, so all of it is in share/.
include(CMakePackageConfigHelpers)

set(twill_package_dir "${CMAKE_INSTALL_DATADIR}/cmake/twill")

install(TARGETS twill EXPORT twillTargets FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT twillTargets NAMESPACE twill:: DESTINATION "${twill_package_dir}")

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/twillConfig.cmake.in" "${PROJECT_BINARY_DIR}/twillConfig.cmake"
  INSTALL_DESTINATION "${twill_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/twillConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/twillConfig.cmake" "${PROJECT_BINARY_DIR}/twillConfigVersion.cmake"
  DESTINATION "${twill_package_dir}")

configure_file("${CMAKE_CURRENT_LIST_DIR}/twill.pc.in" "${PROJECT_BINARY_DIR}/twill.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/twill.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
