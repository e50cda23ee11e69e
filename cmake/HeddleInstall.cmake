# Installs the program, the libraries with their headers, and what find_package(heddle) needs. Last in the top CMakeLists.txt.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY HEDDLE_LIBRARIES)
install(TARGETS ${libraries} EXPORT heddle ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
get_property(archives GLOBAL PROPERTY HEDDLE_INSTALLED_ARCHIVES)
if(archives)
  install(FILES ${archives} DESTINATION ${CMAKE_INSTALL_LIBDIR})
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
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heddle-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heddle-config.cmake ${PROJECT_BINARY_DIR}/heddle-config-version.cmake DESTINATION ${package})
