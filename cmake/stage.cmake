# add_stage(NAME [AFTER PREDECESSOR] SOURCES FILE...)
# One stage: the program NAME, made of its own sources, the one main() and the demo application.
# AFTER says which stage it grows out of; the layout test measures the diff between the two.
function(add_stage NAME)
  cmake_parse_arguments(PARSE_ARGV 1 STAGE "" "AFTER" "SOURCES")
  # Its sources by themselves, compiled once for the program and for the tests of its Server.
  add_library(${NAME}-server OBJECT ${STAGE_SOURCES})
  # They never say the stage's name, so that a diff of two stages shows ideas only.
  target_compile_definitions(${NAME}-server PUBLIC STAGECRAFT_STAGE="${NAME}")
  target_include_directories(${NAME}-server PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${NAME}-server
    PUBLIC stagecraft_runtime
    PRIVATE stagecraft_flags)
  if(NOT STAGECRAFT_PROGRAMS)
    return()
  endif()
  # main() is compiled for each stage, because it includes the "server.h" of that stage.
  add_executable(${NAME} ${PROJECT_SOURCE_DIR}/common/app/main.cpp)
  target_link_libraries(${NAME} PRIVATE ${NAME}-server stagecraft_app stagecraft_flags)
  set_property(GLOBAL APPEND PROPERTY STAGECRAFT_STAGES ${NAME})
  set_property(GLOBAL PROPERTY STAGECRAFT_AFTER_${NAME} "${STAGE_AFTER}")
endfunction()
