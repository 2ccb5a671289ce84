// A server in a program of one's own: greets whoever asks, until SIGTERM or SIGINT comes.
#include <stagecraft/app/signals.h>
#include <stagecraft/server.h>

#include <iostream>
#include <string>

int main(int argc, char** argv) {
  stagecraft::Termination termination;  // before there are threads, which inherit what it blocks
  stagecraft::Options options;
  options.port = argc > 1 ? static_cast<std::uint16_t>(std::stoi(argv[1])) : 8080;
  stagecraft::Server server(options,
                            [](const stagecraft::Request& request, stagecraft::Response& response) {
                              response.text("hello " + std::string(request.path()) + "\n");
                            });
  server.start();
  std::cout << "listening on http://" << server.address() << std::endl;
  termination.wait();
  server.stop(options.grace);  // who is being served is answered; nobody else is let in
  server.join();
}
