#include "serve.h"

#include <unistd.h>

void serve(int fd) {
  // Read the request, send the answer. Then: is it safe to close?
  close(fd);
}
