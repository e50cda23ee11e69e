# heddle_verilate(NAME TOP module SOURCES files... [PARAMETERS COLS=8...] [DEFINES X...] [OPT flags] [DEPENDS files or targets...])
# makes a library NAME that holds the Verilated model as C++ class V<NAME> (header "V<NAME>.h").
# Packages come first in SOURCES. Everything runs at build time, because packages are generated.
# The flags are the ones that simulate fast (docs/simulation.md); two threads are slower than one.
find_program(VERILATOR_BIN verilator REQUIRED)
execute_process(COMMAND ${VERILATOR_BIN} --getenv VERILATOR_ROOT OUTPUT_VARIABLE VERILATOR_ROOT
                OUTPUT_STRIP_TRAILING_WHITESPACE)

# The runtime that all models share, with FST waves.
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
add_library(verilated_runtime STATIC
  ${VERILATOR_ROOT}/include/verilated.cpp ${VERILATOR_ROOT}/include/verilated_threads.cpp
  ${VERILATOR_ROOT}/include/verilated_fst_c.cpp)
set_target_properties(verilated_runtime PROPERTIES OUTPUT_NAME heddle_verilated_runtime)
target_include_directories(verilated_runtime SYSTEM PUBLIC
  ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
target_compile_options(verilated_runtime PRIVATE -O2 -w)
target_link_libraries(verilated_runtime PUBLIC ZLIB::ZLIB Threads::Threads)

set(HEDDLE_VERILATOR_CXX ${CMAKE_CXX_COMPILER})
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(HEDDLE_VERILATOR_CXX "${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER}")
endif()
set(HEDDLE_VERILATED_OPT "-O3 -march=native" CACHE STRING "Optimisation of Verilated models")
set(HEDDLE_VERILATOR_FLAGS "" CACHE STRING "Further options of verilator")

function(heddle_verilate name)
  cmake_parse_arguments(ARG "" "TOP;OPT" "SOURCES;PARAMETERS;DEFINES;DEPENDS" ${ARGN})
  if(NOT ARG_OPT) # OPT: for models with much structure and few cycles, which cost more to compile than to run
    set(ARG_OPT ${HEDDLE_VERILATED_OPT})
  endif()
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/${name}.verilated)
  set(archive ${directory}/V${name}__ALL.a)
  list(TRANSFORM ARG_PARAMETERS PREPEND -G)
  list(TRANSFORM ARG_DEFINES PREPEND -D)
  add_custom_command(
    OUTPUT ${archive} ${directory}/V${name}.h
    COMMAND ${VERILATOR_BIN} --cc -O3 --x-assign fast --x-initial fast --unroll-count 1 --no-timing -Wall
            ${HEDDLE_VERILATOR_FLAGS} --trace-fst --output-split 30000 --prefix V${name} --Mdir ${directory} --top-module ${ARG_TOP}
            ${ARG_PARAMETERS} ${ARG_DEFINES} ${PROJECT_SOURCE_DIR}/rtl/lint_waivers.vlt ${ARG_SOURCES}
    COMMAND make -s -j2 -C ${directory} -f V${name}.mk V${name}__ALL.a
            "CXX=${HEDDLE_VERILATOR_CXX}" "OPT_FAST=${ARG_OPT}" OPT_SLOW=-O1
            "OPT_GLOBAL=-O2" "CXXFLAGS=-std=c++17 -w"
    DEPENDS ${ARG_SOURCES} ${ARG_DEPENDS} ${PROJECT_SOURCE_DIR}/rtl/lint_waivers.vlt
    COMMENT "Verilating ${ARG_TOP} as ${name}"
    VERBATIM)
  add_custom_target(${name}_archive DEPENDS ${archive})
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_archive)
  target_include_directories(${name} SYSTEM INTERFACE ${directory})
  target_link_libraries(${name} INTERFACE ${archive} verilated_runtime)
  set_target_properties(${name} PROPERTIES HEDDLE_ARCHIVE ${archive})
endfunction()
