#include "proxy_line.h"

ProxyLine::Fed ProxyLine::feed(std::string_view bytes) {
  // Take bytes into line_ until the line has ended. Which states are there, and when does each
  // come?
  (void)bytes;
  return {state_, 0};
}

/// Takes a line apart, without its end; false if it is none.
bool ProxyLine::parse(std::string_view line) {
  (void)line;
  return false;
}
