# add_stage(NAME [AFTER PREDECESSOR] SOURCES FILE...)
# One stage: the program NAME, made of its own sources, the one main() and the demo application.
# AFTER says which stage it grows out of; the layout test measures the diff between the two.
function(add_stage NAME)
  cmake_parse_arguments(PARSE_ARGV 1 STAGE "" "AFTER" "SOURCES")
  # main() is compiled for each stage, because it includes the "server.h" of that stage.
  add_executable(${NAME} ${STAGE_SOURCES} ${CMAKE_SOURCE_DIR}/common/app/main.cpp)
  # The stage's sources never say their own name, so that a diff of two stages shows ideas only.
  target_compile_definitions(${NAME} PRIVATE STAGECRAFT_STAGE="${NAME}")
  target_link_libraries(${NAME} PRIVATE stagecraft_app stagecraft_flags Threads::Threads)
  target_include_directories(${NAME} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  set_property(GLOBAL APPEND PROPERTY STAGECRAFT_STAGES ${NAME})
  set_property(GLOBAL PROPERTY STAGECRAFT_AFTER_${NAME} "${STAGE_AFTER}")
  # For the tests that compile the stage into a program of their own.
  list(TRANSFORM STAGE_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL PROPERTY STAGECRAFT_SOURCES_${NAME} "${STAGE_SOURCES}")
endfunction()
