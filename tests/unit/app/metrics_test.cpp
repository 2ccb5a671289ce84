// What is counted, and how it is written down.
#include "app/metrics.h"

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"

using namespace stagecraft;

namespace {

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("Answers are counted by route and class of status") {
  const std::string a = "/a", b = "/b/...";
  Metrics metrics;
  metrics.name_routes(std::array<std::string_view, 2>{a, b});
  metrics.count_answer(a, Status::ok);
  metrics.count_answer(a, Status::no_content);
  metrics.count_answer(a, Status::not_found);
  metrics.count_answer(b, Status::internal_server_error);
  metrics.count_answer({}, Status::bad_request);
  metrics.count_answer("/never heard of", Status::bad_request);
  const std::string text = metrics.text();
  CHECK(has_line(text, "stagecraft_answers_total{route=\"/a\",status=\"2xx\"} 2"));
  CHECK(has_line(text, "stagecraft_answers_total{route=\"/a\",status=\"4xx\"} 1"));
  CHECK(has_line(text, "stagecraft_answers_total{route=\"/b/...\",status=\"5xx\"} 1"));
  CHECK(has_line(text, "stagecraft_answers_total{route=\"\",status=\"4xx\"} 2"));
  CHECK(text.find("route=\"/b/...\",status=\"2xx\"") == std::string::npos);
}

TEST_CASE("Connections that are open are those opened and not closed") {
  Metrics metrics;
  for (int i = 0; i < 5; ++i) metrics.count(Metrics::connections_opened);
  metrics.count(Metrics::connections_closed, 3);
  CHECK(has_line(metrics.text(), "stagecraft_connections_total 5"));
  CHECK(has_line(metrics.text(), "stagecraft_connections_open 2"));
}

TEST_CASE("What several threads count adds up") {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&metrics] {
      for (int n = 0; n < 100'000; ++n) metrics.count(Metrics::bytes_sent, 2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(has_line(metrics.text(), "stagecraft_sent_bytes_total 4000000"));
}

TEST_CASE("Every line is a comment or a sample, and every sample has its type before it") {
  const std::string odd = "/a\"\\\n";
  Metrics metrics;
  metrics.name_routes(std::array<std::string_view, 1>{odd});
  metrics.count_answer(odd, Status::ok);
  const std::string text = metrics.text();
  CHECK(has_line(text, "stagecraft_answers_total{route=\"/a\\\"\\\\\\n\",status=\"2xx\"} 1"));
  std::string described;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    REQUIRE(end != std::string::npos);
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    INFO(line);
    if (line.rfind("# TYPE ", 0) == 0) {
      described = line.substr(7, line.find(' ', 7) - 7);
    } else if (line.rfind("# HELP ", 0) != 0) {
      CHECK(line.substr(0, line.find_first_of("{ ")) == described);
      CHECK(line.find_last_not_of("0123456789") == line.rfind(' '));
    }
  }
}
