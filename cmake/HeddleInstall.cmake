# Installs the program, the libraries with their headers, and what find_package(heddle) needs. Last in the top CMakeLists.txt.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY HEDDLE_LIBRARIES)
install(TARGETS ${libraries} heddle_runtime EXPORT heddle ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The Verilated cores are archives that Verilator made; heddle-config.cmake adds them to heddle::driver.
set(HEDDLE_CORE_ARCHIVES "")
if(HEDDLE_BUILD_RTL)
  install(TARGETS verilated_runtime EXPORT heddle ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  foreach(configuration IN LISTS HEDDLE_RTL_CONFIGS)
    get_target_property(archive core_${configuration} HEDDLE_ARCHIVE)
    install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME libheddle_core_${configuration}.a)
    list(APPEND HEDDLE_CORE_ARCHIVES libheddle_core_${configuration}.a)
  endforeach()
endif()
set(HEDDLE_HAS_XRT OFF)
if(TARGET heddle::xrt_api)
  set(HEDDLE_HAS_XRT ON)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindXRT.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
endif()
if(TARGET heddle)
  install(TARGETS heddle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

foreach(folder common config driver host rtl/isa sim)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle/${folder}
          FILES_MATCHING PATTERN "*.h" PATTERN generator EXCLUDE)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/generated/isa/isa_generated.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle/isa)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
install(EXPORT heddle NAMESPACE heddle:: FILE heddle-targets.cmake DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/heddle-config.cmake.in ${PROJECT_BINARY_DIR}/heddle-config.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heddle-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heddle-config.cmake ${PROJECT_BINARY_DIR}/heddle-config-version.cmake DESTINATION ${package})
