// Requests that well-known servers read wrongly, each sent whole and byte by byte; see traps.tsv.
#include <string>

#include "catch.h"
#include "conformance/probe.h"
#include "conformance/trap_table.h"

namespace stagecraft::conformance {
namespace {

// Longer ones are cut by nothing but their segments: byte by byte they would take seconds.
constexpr std::size_t longest_byte_by_byte = 1000;

// Every trap is a section of its own: `-c te/case` runs just that one.
void run_family(std::string_view family) {
  for (const Trap& trap : traps_of(family)) {
    DYNAMIC_SECTION(trap.name) {
      check(trap.probe);
      // The waiting traps are about who speaks first, not about cuts.
      const bool cuttable = trap.probe.request.size() <= longest_byte_by_byte &&
                            trap.probe.answer_awaited_at == 0 && trap.probe.cuts.empty();
      if (cuttable) check(trap.probe, Pace::byte_by_byte);
    }
  }
}

}  // namespace

TEST_CASE("Traps: Content-Length beside Transfer-Encoding", "[traps]") { run_family("cl-te"); }
TEST_CASE("Traps: transfer codings", "[traps]") { run_family("te"); }
TEST_CASE("Traps: Content-Length", "[traps]") { run_family("cl"); }
TEST_CASE("Traps: chunks", "[traps]") { run_family("chunk"); }
TEST_CASE("Traps: ends of lines", "[traps]") { run_family("eol"); }
TEST_CASE("Traps: fields", "[traps]") { run_family("field"); }
TEST_CASE("Traps: request lines", "[traps]") { run_family("request-line"); }
TEST_CASE("Traps: Host", "[traps]") { run_family("host"); }
TEST_CASE("Traps: connections", "[traps]") { run_family("connection"); }
TEST_CASE("Traps: semantics", "[traps]") { run_family("semantics"); }
TEST_CASE("Traps: paths", "[traps]") {
  need_guarded_paths();
  run_family("path");
}

TEST_CASE("The table of traps is whole", "[traps]") {
  constexpr const char* families[] = {"cl-te",      "te",        "cl",          "chunk",
                                      "eol",        "field",     "host",        "path",
                                      "connection", "semantics", "request-line"};
  std::size_t seen = 0;
  for (const char* family : families) seen += traps_of(family).size();
  CHECK(seen == trap_count());
  CHECK(seen == 208);
}

}  // namespace stagecraft::conformance
