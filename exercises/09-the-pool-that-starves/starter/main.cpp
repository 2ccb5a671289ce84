// The program around serve(). Given. Options: --port N, --workers N, --gates DIR.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include "conversation.h"
#include "server.h"

namespace {

int fail(const char* call) {
  std::perror(call);
  return 1;
}

}  // namespace

int main(int count, char** words) {
  std::map<std::string, std::string> options{{"--port", "8080"}, {"--workers", "2"}};
  for (int i = 1; i + 1 < count; i += 2) options[words[i]] = words[i + 1];
  gates = options["--gates"];

  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(options["--port"])));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, generic, size) != 0) return fail("bind");
  if (listen(listener, SOMAXCONN) != 0) return fail("listen");
  getsockname(listener, generic, &size);

  // No thread may take the signal for which main() waits.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([listener, workers = std::stoul(options["--workers"])] {
    serve(listener, workers);
  }).detach();
  std::printf("listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
  std::fflush(stdout);

  int signal = 0;
  sigwait(&signals, &signal);
  std::_Exit(0);  // how to stop gently is the matter of another exercise
}
