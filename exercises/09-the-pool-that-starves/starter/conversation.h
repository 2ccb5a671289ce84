// What is said to one client. Given; it knows nothing of threads.
#pragma once

#include <string>

/// A client that is connected. Closes its descriptor with itself.
struct Client {
  explicit Client(int connected) : fd(connected) {}
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const int fd;
  std::string half_request = {};  ///< what has come of the next one
};

/// Receives once, which waits if nothing has come yet, and answers each request that is complete by
/// then. False: the client has gone, or is to go.
bool serve_once(Client& client);

/// Where the handler of /gate?name=G finds its FIFOs. Set before the first client comes.
extern std::string gates;
