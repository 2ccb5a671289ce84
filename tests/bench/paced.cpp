// Open load: asks at a fixed rate, whatever the server does, and tells how long each answer was
// waited for since its request was meant to leave (open_load.h).
//
//     paced --port 8080 --path /plaintext --rate 1000 --connections 64 --seconds 5
//
// Begins when all are connected, or when --connect-seconds have passed: who is not is asked for all
// the same, and waits. --from gives the connections another address of this machine, since each
// address has only some 28,000 ports.
//
// Prints JSON: what was asked, answered, wrong, and the latencies in microseconds. One thread,
// epoll, keep-alive connections; one that the server closes is opened again, and its request asked
// again.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "answer.h"
#include "open_load.h"

namespace {

using stagecraft::bench::Answer;
using stagecraft::bench::OpenLoad;
using stagecraft::bench::OpenLoadSettings;
using stagecraft::bench::percentile;
using stagecraft::bench::Time;

int must(int result, const char* call) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), call);
  return result;
}

sockaddr_in address_of(const std::string& host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
    throw std::runtime_error(host + " is not a numeric address");
  }
  return address;
}

struct Target {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;
  std::string path = "/";
  std::string body;  ///< that every answer must have; empty: any
  std::string from;  ///< the address of the users; empty: the system's choice
};

/// One user: a connection, and what of the answer has come.
struct User {
  int descriptor = -1;
  bool connected = false;
  bool waits = false;  ///< for an answer
  bool unsent = false;
  std::string input;
};

class Load {
 public:
  Load(const Target& target, const OpenLoadSettings& settings)
      : target_(target),
        request_("GET " + target.path + " HTTP/1.1\r\nHost: " + target.host + "\r\n\r\n"),
        schedule_(settings),
        users_(settings.connections) {}

  void run(Time time_to_connect, Time patience) {
    began_ = std::chrono::steady_clock::now();
    open_all(time_to_connect);
    watch(timer_, EPOLLIN, users_.size());
    began_ = std::chrono::steady_clock::now();
    Time give_up = Time::max();
    while (!schedule_.finished() && now() < give_up) {
      while (const auto user = schedule_.due(now())) ask(*user);
      const auto next = schedule_.next_due();
      if (!next && give_up == Time::max()) give_up = now() + patience;
      wait_until(next.value_or(give_up));
    }
  }

  void print() {
    const OpenLoad::Result result = schedule_.finish(now());
    const auto us = [&](double share) {
      return static_cast<double>(percentile(result.latencies, share).count()) / 1000;
    };
    const auto [least, most] = std::minmax_element(result.answers.begin(), result.answers.end());
    const auto served = std::count_if(result.answers.begin(), result.answers.end(),
                                      [](std::uint64_t answers) { return answers > 0; });
    std::printf(
        "{\"asked\": %zu, \"unanswered\": %zu, \"arrived\": %zu, \"wrong\": %zu, "
        "\"reopened\": %zu,\n",
        static_cast<std::size_t>(result.asked), static_cast<std::size_t>(result.unanswered),
        static_cast<std::size_t>(result.arrived), wrong_, reopened_);
    std::printf(
        " \"connections\": {\"asked\": %zu, \"answered\": %zu, \"least\": %zu, \"most\": %zu},\n",
        users_.size(), static_cast<std::size_t>(served), static_cast<std::size_t>(*least),
        static_cast<std::size_t>(*most));
    std::printf(" \"latency_us\": {\"p50\": %.1f, \"p90\": %.1f, \"p99\": %.1f, \"max\": %.1f}}\n",
                us(0.5), us(0.9), us(0.99), us(1));
  }

 private:
  Time now() const { return std::chrono::steady_clock::now() - began_; }

  void watch(int descriptor, std::uint32_t events, std::size_t number) {
    epoll_event event{.events = events, .data = {.u64 = number}};
    must(epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event), "epoll_ctl");
  }

  // Not all at the same moment: who finds a server's queue full knocks again only after a second.
  void open_all(Time give_up) {
    constexpr std::size_t at_once = 256;
    std::size_t opened = 0, connected = 0;
    while (opened < users_.size() || connected < opened) {
      if (now() > give_up && opened == users_.size()) return;
      while (opened < users_.size() && (opened - connected < at_once || now() > give_up)) {
        open(opened++);
      }
      std::array<epoll_event, at_once> events;
      const int ready = epoll_wait(epoll_, events.data(), events.size(), 100);
      for (int i = 0; i < ready; ++i) {
        User& user = users_[events[static_cast<std::size_t>(i)].data.u64];
        if (user.connected) continue;
        user.connected = true;  // or refused, which the first request will find
        ++connected;
      }
    }
  }

  void open(std::size_t number) {
    User& user = users_[number];
    user.descriptor = must(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket");
    const int on = 1;
    must(setsockopt(user.descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "setsockopt");
    if (!target_.from.empty()) {
      // The port is chosen by connect(), which knows the other end: so many may have the same.
      must(setsockopt(user.descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on),
           "setsockopt");
      const sockaddr_in source = address_of(target_.from, 0);
      must(bind(user.descriptor, reinterpret_cast<const sockaddr*>(&source), sizeof source),
           "bind");
    }
    const sockaddr_in address = address_of(target_.host, target_.port);
    // It may be under way still: what is sent meanwhile waits for the event of writability.
    if (connect(user.descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
            0 &&
        errno != EINPROGRESS) {
      must(-1, "connect");
    }
    watch(user.descriptor, EPOLLIN | EPOLLOUT | EPOLLET, number);
  }

  void ask(std::size_t number) {
    User& user = users_[number];
    user.waits = user.unsent = true;
    send_request(user);
  }

  void send_request(User& user) {
    const ssize_t sent = send(user.descriptor, request_.data(), request_.size(), MSG_NOSIGNAL);
    // A request is far smaller than a socket's buffer: it goes whole or, before the connection is
    // made, not at all. Of a connection that has ended receive() learns.
    if (sent == static_cast<ssize_t>(request_.size())) user.unsent = false;
  }

  void wait_until(Time moment) {
    const Time delay = std::max(moment - now(), Time(1));  // a zero would stop the timer
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(delay);
    itimerspec when{};
    when.it_value = {.tv_sec = seconds.count(), .tv_nsec = (delay - seconds).count()};
    must(timerfd_settime(timer_, 0, &when, nullptr), "timerfd_settime");
    std::array<epoll_event, 256> events;
    const int ready = epoll_wait(epoll_, events.data(), events.size(), -1);
    if (ready < 0 && errno != EINTR) must(ready, "epoll_wait");
    for (int i = 0; i < ready; ++i) {
      const std::size_t number = events[static_cast<std::size_t>(i)].data.u64;
      if (number == users_.size()) continue;  // the timer, which the next wait sets anew
      if (users_[number].unsent) send_request(users_[number]);
      receive(number);
    }
  }

  void receive(std::size_t number) {
    User& user = users_[number];
    static std::array<char, 65536> block;
    while (true) {
      const ssize_t count = recv(user.descriptor, block.data(), block.size(), 0);
      if (count < 0 && (errno == EAGAIN || errno == ENOTCONN)) return;
      if (count <= 0) return reopen(number);
      user.input.append(block.data(), static_cast<std::size_t>(count));
      const Answer answer = stagecraft::bench::read_answer(user.input);
      if (answer.state == Answer::partial) continue;
      const bool right = answer.state == Answer::whole && answer.status == 200 &&
                         (target_.body.empty() || answer.body == target_.body);
      if (!right) ++wrong_;
      if (answer.state == Answer::malformed) return reopen(number);
      user.input.erase(0, answer.size);
      user.waits = false;
      if (schedule_.answered(number, now()) == OpenLoad::Next::send) ask(number);
    }
  }

  void reopen(std::size_t number) {
    User& user = users_[number];
    close(user.descriptor);
    user.input.clear();
    ++reopened_;
    open(number);
    user.unsent = user.waits;
    if (user.unsent) send_request(user);
  }

  Target target_;
  std::string request_;
  OpenLoad schedule_;
  std::vector<User> users_;
  std::chrono::steady_clock::time_point began_;
  int epoll_ = must(epoll_create1(0), "epoll_create1");
  int timer_ = must(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), "timerfd_create");
  std::size_t wrong_ = 0;
  std::size_t reopened_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  Target target;
  OpenLoadSettings settings;
  double seconds = 5, warm_up = 0.5, patience = 1, connect_seconds = 30;
  CLI::App app{"Asks an HTTP server at a fixed rate."};
  app.add_option("--host", target.host, "Numeric address");
  app.add_option("--port", target.port, "Port");
  app.add_option("--from", target.from, "Numeric address to connect from");
  app.add_option("--path", target.path, "What to ask for");
  app.add_option("--body", target.body, "What every answer must say; empty: anything");
  app.add_option("--rate", settings.rate_per_s, "Requests per second")->check(CLI::PositiveNumber);
  app.add_option("--connections", settings.connections, "Users")->check(CLI::PositiveNumber);
  app.add_option("--seconds", seconds, "How long to ask, after the warm-up");
  app.add_option("--warm-up", warm_up, "Seconds before anything is recorded");
  app.add_option("--connect-seconds", connect_seconds, "Seconds in which all should connect");
  app.add_option("--patience", patience, "Seconds to wait for the last answers");
  CLI11_PARSE(app, count, arguments);
  const auto time = [](double value) { return Time(static_cast<std::int64_t>(value * 1e9)); };
  settings.warm_up = time(warm_up);
  settings.duration = time(warm_up + seconds);
  try {
    Load load(target, settings);
    load.run(time(connect_seconds), time(patience));
    load.print();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "paced: %s\n", error.what());
    return 1;
  }
}
