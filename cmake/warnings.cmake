# One INTERFACE target carries how everything here is compiled; no directory-wide flags. And one has
# the warnings alone, for what must not be instrumented.
add_library(stagecraft_warnings INTERFACE)
target_compile_options(stagecraft_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wnull-dereference -Wformat=2 -Wimplicit-fallthrough
  # Clang checks at compile time which thread may touch what (base/thread_annotations.h).
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  $<$<BOOL:${STAGECRAFT_WERROR}>:-Werror>)
add_library(stagecraft_flags INTERFACE)
target_link_libraries(stagecraft_flags INTERFACE stagecraft_warnings)
if(STAGECRAFT_SANITIZE)
  # No recovery: a report ends the program, so that no test can pass over it.
  # Nor the check of virtual calls: it needs a descriptor, and there is none in the tests that use
  # them all up.
  target_compile_options(stagecraft_flags INTERFACE
    -fsanitize=${STAGECRAFT_SANITIZE} -fno-sanitize-recover=all -fno-sanitize=vptr
    -fno-omit-frame-pointer)
  target_link_options(stagecraft_flags INTERFACE -fsanitize=${STAGECRAFT_SANITIZE})
endif()
