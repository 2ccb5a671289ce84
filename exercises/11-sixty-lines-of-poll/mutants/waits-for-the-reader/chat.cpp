#include "chat.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

namespace {

// Everything that must be remembered of a guest from one round to the next. In a program with a
// thread for each guest, `half_line` would be a local variable.
struct Guest {
  int fd;
  std::string half_line;
  bool stays;
};
using Room = std::vector<Guest>;

// Who does not take all of it has fallen behind, and the others do not wait.
void tell_others(Room& room, const Guest& speaker, std::string_view line) {
  for (Guest& guest : room) {
    if (&guest == &speaker || !guest.stays) continue;
    const ssize_t taken = send(guest.fd, line.data(), line.size(), MSG_NOSIGNAL);
    guest.stays = taken == static_cast<ssize_t>(line.size());
  }
}

// One receive, whatever it brings: half a line, or three and a half.
void hear(Room& room, Guest& guest) {
  std::array<char, 1024> piece;
  const ssize_t size = recv(guest.fd, piece.data(), piece.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;  // poll() has promised too much
  if (size <= 0) {
    guest.stays = false;
    return;
  }
  guest.half_line.append(piece.data(), static_cast<std::size_t>(size));

  std::string_view rest = guest.half_line;
  while (guest.stays) {
    const std::size_t end = rest.find('\n');
    if (std::min(end, rest.size()) >= longest_line) guest.stays = false;
    if (!guest.stays || end == std::string_view::npos) break;
    tell_others(room, guest, rest.substr(0, end + 1));
    rest.remove_prefix(end + 1);
  }
  guest.half_line = std::string(rest);
}

// Between two rounds, when nothing points into the room and no answer of poll() is still to be
// read.
void put_out(Room& room) {
  for (const Guest& guest : room)
    if (!guest.stays) close(guest.fd);
  std::erase_if(room, [](const Guest& guest) { return !guest.stays; });
}

}  // namespace

void chat(int listener) {
  Room room;
  for (bool open = true; open; put_out(room)) {
    std::vector<pollfd> asked{{listener, POLLIN, 0}};
    for (const Guest& guest : room) asked.push_back({guest.fd, POLLIN, 0});
    poll(asked.data(), asked.size(), -1);

    // Guest i stands at i + 1: nobody comes or goes while these answers are read.
    for (std::size_t i = 0; i < room.size(); ++i)
      if (asked[i + 1].revents != 0 && room[i].stays) hear(room, room[i]);
    if (asked[0].revents == 0) continue;
    const int fd = accept(listener, nullptr, nullptr);
    if (fd >= 0) room.push_back({fd, "", true});
    open = fd >= 0 || errno != EINVAL;
  }
  for (const Guest& guest : room) close(guest.fd);
}
