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
  metrics.count_answer(0, a, Status::ok);
  metrics.count_answer(0, a, Status::no_content);
  metrics.count_answer(0, a, Status::not_found);
  metrics.count_answer(0, b, Status::internal_server_error);
  metrics.count_answer(0, {}, Status::bad_request);
  metrics.count_answer(0, "/never heard of", Status::bad_request);
  const std::string text = metrics.text();
  CHECK(has_line(text, "stagecraft_answers_total{route=\"/a\",status=\"2xx\"} 2"));
  CHECK(has_line(text, "stagecraft_answers_total{route=\"/a\",status=\"4xx\"} 1"));
  CHECK(has_line(text, "stagecraft_answers_total{route=\"/b/...\",status=\"5xx\"} 1"));
  CHECK(has_line(text, "stagecraft_answers_total{route=\"\",status=\"4xx\"} 2"));
  CHECK(text.find("route=\"/b/...\",status=\"2xx\"") == std::string::npos);
}

TEST_CASE("Answers are counted by what a pattern says, wherever it stands") {
  std::string place = "/a";
  Metrics metrics;
  metrics.name_routes(std::array<std::string_view, 2>{place, "/b"});
  metrics.count_answer(0, std::string("/a"), Status::ok);
  place = "/c";  // which nobody named, where a known one stood
  metrics.count_answer(0, place, Status::ok);
  place = "/b";
  metrics.count_answer(0, place, Status::ok);
  const std::string text = metrics.text();
  CHECK(has_line(text, "stagecraft_answers_total{route=\"/a\",status=\"2xx\"} 1"));
  CHECK(has_line(text, "stagecraft_answers_total{route=\"/b\",status=\"2xx\"} 1"));
  CHECK(has_line(text, "stagecraft_answers_total{route=\"\",status=\"2xx\"} 1"));
}

TEST_CASE("Connections that are open are those opened and not closed") {
  Metrics metrics;
  for (int i = 0; i < 5; ++i) metrics.count(0, Metrics::connections_opened);
  metrics.count(0, Metrics::connections_closed, 3);
  CHECK(has_line(metrics.text(), "stagecraft_connections_total 5"));
  CHECK(has_line(metrics.text(), "stagecraft_connections_open 2"));
}

TEST_CASE("What several threads count adds up") {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&metrics] {
      for (int n = 0; n < 100'000; ++n) metrics.count(0, Metrics::bytes_sent, 2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(has_line(metrics.text(), "stagecraft_sent_bytes_total 4000000"));
}

TEST_CASE("Each loop counts for itself, whichever thread it is on") {
  const std::string route = "/a";
  Metrics metrics;
  metrics.name_routes(std::array<std::string_view, 1>{route});
  metrics.count_by_loop(12);
  metrics.count(3, Metrics::connections_opened, 5);
  metrics.count(3, Metrics::connections_closed, 2);
  metrics.count(11, Metrics::turns, 7);
  metrics.count_answer(11, route, Status::ok);
  const std::string text = metrics.text();
  CHECK(has_line(text, "stagecraft_connections_total{loop=\"3\"} 5"));
  CHECK(has_line(text, "stagecraft_connections_open{loop=\"3\"} 3"));
  CHECK(has_line(text, "stagecraft_connections_open{loop=\"11\"} 0"));
  CHECK(has_line(text, "stagecraft_loop_turns_total{loop=\"11\"} 7"));
  CHECK(has_line(text, "stagecraft_answers_total{loop=\"11\",route=\"/a\",status=\"2xx\"} 1"));
  CHECK_FALSE(has_line(text, "stagecraft_answers_total{loop=\"3\",route=\"/a\",status=\"2xx\"} 1"));
}

TEST_CASE("Every line is a comment or a sample, and every sample has its type before it") {
  const std::string odd = "/a\"\\\n";
  Metrics metrics;
  metrics.name_routes(std::array<std::string_view, 1>{odd});
  const bool by_loop = GENERATE(false, true);
  if (by_loop) metrics.count_by_loop(3);
  metrics.count_answer(0, odd, Status::ok);
  const std::string text = metrics.text();
  CHECK(has_line(text, std::string("stagecraft_answers_total{") + (by_loop ? "loop=\"0\"," : "") +
                           "route=\"/a\\\"\\\\\\n\",status=\"2xx\"} 1"));
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
