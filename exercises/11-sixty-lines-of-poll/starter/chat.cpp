#include "chat.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

void chat(int listener) {
  for (;;) {
    pollfd door{listener, POLLIN, 0};
    poll(&door, 1, -1);
    const int guest = accept(listener, nullptr, nullptr);
    if (guest < 0) return;
    close(guest);  // not yet: ask poll() for the listener and for all guests
  }
}
