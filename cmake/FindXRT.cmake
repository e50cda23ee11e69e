# Finds the native API of the Xilinx Runtime: headers and libxrt_coreutil, as Debian packages them or as AMD installs
# them ($XILINX_XRT, usually /opt/xilinx/xrt). Debian's pkg-config file for XRT names folders that do not exist.
#
# Gives XRT_FOUND, XRT_VERSION and the target heddle::xrt_api.
find_path(XRT_INCLUDE_DIR xrt/xrt_device.h HINTS $ENV{XILINX_XRT}/include PATHS /opt/xilinx/xrt/include PATH_SUFFIXES xrt)
find_library(XRT_LIBRARY xrt_coreutil HINTS $ENV{XILINX_XRT}/lib PATHS /opt/xilinx/xrt/lib)
find_path(XRT_UUID_INCLUDE_DIR uuid/uuid.h)
find_library(XRT_UUID_LIBRARY uuid)
mark_as_advanced(XRT_INCLUDE_DIR XRT_LIBRARY XRT_UUID_INCLUDE_DIR XRT_UUID_LIBRARY)

if(XRT_INCLUDE_DIR AND EXISTS ${XRT_INCLUDE_DIR}/version.h)
  file(STRINGS ${XRT_INCLUDE_DIR}/version.h XRT_VERSION REGEX "xrt_build_version\\[\\]")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" XRT_VERSION "${XRT_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XRT VERSION_VAR XRT_VERSION
  REQUIRED_VARS XRT_LIBRARY XRT_INCLUDE_DIR XRT_UUID_LIBRARY XRT_UUID_INCLUDE_DIR)

if(XRT_FOUND AND NOT TARGET heddle::xrt_api)
  find_package(Threads REQUIRED)
  add_library(heddle::xrt_api INTERFACE IMPORTED GLOBAL)
  # Only this library: a program that also links libxrt_core finds cards and never an emulated board.
  target_link_libraries(heddle::xrt_api INTERFACE ${XRT_LIBRARY} ${XRT_UUID_LIBRARY} Threads::Threads)
  target_include_directories(heddle::xrt_api SYSTEM INTERFACE ${XRT_INCLUDE_DIR} ${XRT_UUID_INCLUDE_DIR})
endif()
