// Nanoseconds for one head: request line, fields and what they mean for the framing.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "bench/sample_requests.h"
#include "http/request_parser.h"
#include "http/request_target.h"

namespace {

using namespace stagecraft;

void parse_head(benchmark::State& state, std::string_view request) {
  const Limits limits;
  RequestParser parser(limits);
  for (auto step : state) {
    benchmark::DoNotOptimize(request);
    parser.reset();
    if (parser.parse(request.data(), request.size()) != Progress::complete) std::abort();
    benchmark::DoNotOptimize(parser.head().field_count);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(request.size()));
}

// The head and its target, as a session does it.
void parse_head_and_target(benchmark::State& state, std::string_view request) {
  const Limits limits;
  RequestParser parser(limits);
  RequestTarget target;
  std::string decoded;
  std::string_view reason;
  for (auto step : state) {
    benchmark::DoNotOptimize(request);
    parser.reset();
    if (parser.parse(request.data(), request.size()) != Progress::complete) std::abort();
    const RequestHead& head = parser.head();
    const Status status = parse_target(head.method, request, head.target, target, decoded, reason);
    if (status != Status::none) std::abort();
    benchmark::DoNotOptimize(target);
  }
}

// A head that arrives in pieces: nothing is looked at twice, so it costs little more.
void parse_head_in_pieces(benchmark::State& state, std::string_view request) {
  const Limits limits;
  RequestParser parser(limits);
  const auto pieces = static_cast<std::size_t>(state.range(0));
  for (auto step : state) {
    benchmark::DoNotOptimize(request);
    parser.reset();
    Progress progress = Progress::incomplete;
    for (std::size_t piece = 1; piece <= pieces; ++piece) {
      progress = parser.parse(request.data(), request.size() * piece / pieces);
    }
    if (progress != Progress::complete) std::abort();
  }
}

BENCHMARK_CAPTURE(parse_head, minimal, bench::minimal_request);
BENCHMARK_CAPTURE(parse_head, browser, bench::browser_request);
BENCHMARK_CAPTURE(parse_head_and_target, minimal, bench::minimal_request);
BENCHMARK_CAPTURE(parse_head_and_target, browser, bench::browser_request);
BENCHMARK_CAPTURE(parse_head_in_pieces, browser, bench::browser_request)->Arg(2)->Arg(10)->Arg(678);

}  // namespace
