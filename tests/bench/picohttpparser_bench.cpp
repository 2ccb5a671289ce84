// The same heads through picohttpparser, the fastest parser in wide use. It splits lines and names
// and judges neither Host nor Content-Length nor Transfer-Encoding; ours does.
#include <benchmark/benchmark.h>
#include <picohttpparser.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bench/sample_requests.h"

namespace {

using namespace stagecraft;

void picohttpparser(benchmark::State& state, std::string_view request) {
  std::array<phr_header, 100> fields;  // as many as Limits::max_fields
  for (auto step : state) {
    benchmark::DoNotOptimize(request);
    const char* method = nullptr;
    const char* target = nullptr;
    std::size_t method_size = 0;
    std::size_t target_size = 0;
    int minor_version = 0;
    std::size_t field_count = fields.size();
    const int size =
        phr_parse_request(request.data(), request.size(), &method, &method_size, &target,
                          &target_size, &minor_version, fields.data(), &field_count, 0);
    if (size != static_cast<int>(request.size())) std::abort();
    benchmark::DoNotOptimize(fields);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(request.size()));
}

BENCHMARK_CAPTURE(picohttpparser, minimal, bench::minimal_request);
BENCHMARK_CAPTURE(picohttpparser, browser, bench::browser_request);

}  // namespace
