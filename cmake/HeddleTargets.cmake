# heddle_library(NAME SOURCES... [DEPENDS targets...]): a static library heddle_NAME, alias heddle::NAME.
# Headers are included from the repository's root: #include "sim/numerics/bf16.h".
function(heddle_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(heddle_${name} STATIC ${ARG_SOURCES})
  add_library(heddle::${name} ALIAS heddle_${name})
  set_target_properties(heddle_${name} PROPERTIES EXPORT_NAME ${name})
  if(NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/tests")  # helpers of tests are not installed
    set_property(GLOBAL APPEND PROPERTY HEDDLE_LIBRARIES heddle_${name})
  endif()
  target_compile_features(heddle_${name} PUBLIC cxx_std_20)
  target_include_directories(heddle_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
    $<INSTALL_INTERFACE:include/heddle>)
  target_compile_options(heddle_${name} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
    -Wno-restrict)  # GCC 12 warns of std::string's operator+ without reason (its bug 105651)
  target_link_libraries(heddle_${name} PUBLIC ${ARG_DEPENDS})
endfunction()

# heddle_test(NAME SOURCES... [DEPENDS targets...] [LABELS labels...]): a GoogleTest program; label `unit` unless given.
function(heddle_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
  target_compile_options(test_${name} PRIVATE -Wall -Wextra)
  target_compile_definitions(test_${name} PRIVATE HEDDLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 900)
endfunction()

# heddle_uses_emulated_boards(NAME...): tests that open emulated boards find all parts of them, and run by themselves.
function(heddle_uses_emulated_boards)
  if(NOT TARGET heddle-emulated-device)
    return()
  endif()
  foreach(name IN LISTS ARGN)
    add_dependencies(test_${name} emulated_boards)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT
      "HEDDLE_EMULATED_DEVICE=$<TARGET_FILE:heddle-emulated-device>;HEDDLE_XRT_ROOT=${PROJECT_BINARY_DIR}/xrt;HEDDLE_BITSTREAMS=${PROJECT_BINARY_DIR}/bitstreams")
  endforeach()
endfunction()
