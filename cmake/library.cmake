# Stagecraft as a library: stagecraft::stagecraft, the server of the last stage and all that it
# needs, and stagecraft::web. The same for add_subdirectory() and, once installed, for
# find_package(). See docs/library.md.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(LIBRARY_STAGE 07-epoll-multi-loop)

# --- Headers ---

# Users write <stagecraft/http/request.h>. Among themselves our headers say "http/request.h", which
# anybody's own http/request.h would be taken for; so users see copies that say the whole name. And
# the names of macros, which no namespace keeps apart, get a prefix there.
set(PUBLIC_HEADERS ${PROJECT_BINARY_DIR}/include)
file(STRINGS ${PROJECT_SOURCE_DIR}/common/base/thread_annotations.h MACROS REGEX "^#define ")
list(TRANSFORM MACROS REPLACE "#define ([A-Z_]+).*" "\\1")
list(FILTER MACROS EXCLUDE REGEX "^STAGECRAFT_")
list(JOIN MACROS "|" MACROS)

function(publish_header SOURCE NAME)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${SOURCE})
  file(READ ${SOURCE} TEXT)
  string(REGEX REPLACE "#include \"([^\"]+)\"" "#include \"stagecraft/\\1\"" TEXT "${TEXT}")
  string(REGEX REPLACE "([^A-Z_])(${MACROS})([^A-Z_])" "\\1STAGECRAFT_\\2\\3" TEXT "${TEXT}")
  set(COPY ${PUBLIC_HEADERS}/stagecraft/${NAME})
  set(BEFORE "")
  if(EXISTS ${COPY})
    file(READ ${COPY} BEFORE)
  endif()
  if(NOT TEXT STREQUAL BEFORE) # or everything that includes it would be compiled again
    file(WRITE ${COPY} "${TEXT}")
  endif()
endfunction()

# Globbed, against our custom: a header that somebody forgot would be missed by users only.
foreach(LAYER base net http web)
  file(GLOB HEADERS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/common
       ${PROJECT_SOURCE_DIR}/common/${LAYER}/*.h)
  foreach(HEADER IN LISTS HEADERS)
    publish_header(${PROJECT_SOURCE_DIR}/common/${HEADER} ${HEADER})
  endforeach()
endforeach()
foreach(HEADER metrics session_clock signals telemetry thread)
  publish_header(${PROJECT_SOURCE_DIR}/common/app/${HEADER}.h app/${HEADER}.h)
endforeach()
file(GLOB HEADERS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/stages/${LIBRARY_STAGE}
     ${PROJECT_SOURCE_DIR}/stages/${LIBRARY_STAGE}/*.h)
list(REMOVE_ITEM HEADERS known_options.h connection.h) # of the program, of server.cpp
foreach(HEADER IN LISTS HEADERS)
  publish_header(${PROJECT_SOURCE_DIR}/stages/${LIBRARY_STAGE}/${HEADER} ${HEADER})
endforeach()

# --- Targets ---

add_library(stagecraft STATIC $<TARGET_OBJECTS:${LIBRARY_STAGE}-server>)
set_target_properties(stagecraft PROPERTIES LINKER_LANGUAGE CXX)
target_compile_features(stagecraft INTERFACE cxx_std_20)
target_include_directories(stagecraft INTERFACE $<BUILD_INTERFACE:${PUBLIC_HEADERS}>
                                                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(stagecraft PRIVATE stagecraft_runtime INTERFACE Threads::Threads)
add_library(stagecraft::stagecraft ALIAS stagecraft)

if(STAGECRAFT_WEB)
  add_library(stagecraft_with_web INTERFACE)
  target_link_libraries(stagecraft_with_web INTERFACE stagecraft $<LINK_ONLY:stagecraft_web>)
  add_library(stagecraft::web ALIAS stagecraft_with_web)
  set_target_properties(stagecraft_with_web PROPERTIES EXPORT_NAME web)
endif()

# --- Installation ---

if(NOT STAGECRAFT_INSTALL)
  return()
endif()
set(PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/stagecraft)
install(TARGETS stagecraft stagecraft_runtime stagecraft_http stagecraft_net stagecraft_base
        EXPORT stagecraft)
install(EXPORT stagecraft FILE stagecraft-targets.cmake NAMESPACE stagecraft::
        DESTINATION ${PACKAGE_FOLDER})
if(STAGECRAFT_WEB)
  install(TARGETS stagecraft_with_web stagecraft_web EXPORT stagecraft_web)
  install(EXPORT stagecraft_web FILE stagecraft-web-targets.cmake NAMESPACE stagecraft::
          DESTINATION ${PACKAGE_FOLDER})
  # What it links has to be found where it is used.
  file(GLOB FINDERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/Find*.cmake)
  install(FILES ${FINDERS} DESTINATION ${PACKAGE_FOLDER})
  list(TRANSFORM FINDERS REPLACE ".*/Find(.*)\\.cmake" "\\1" OUTPUT_VARIABLE WEB_PACKAGES)
  list(JOIN WEB_PACKAGES " " WEB_PACKAGES)
endif()
install(DIRECTORY ${PUBLIC_HEADERS}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/licenses/stagecraft)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/stagecraft-config.cmake.in
  ${PROJECT_BINARY_DIR}/stagecraft-config.cmake INSTALL_DESTINATION ${PACKAGE_FOLDER})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stagecraft-config-version.cmake
  COMPATIBILITY SameMinorVersion) # while it is 0.x
install(FILES ${PROJECT_BINARY_DIR}/stagecraft-config.cmake
              ${PROJECT_BINARY_DIR}/stagecraft-config-version.cmake
        DESTINATION ${PACKAGE_FOLDER})
