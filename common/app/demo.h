// The application that shows what a server does (--app demo).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "app/command_line.h"
#include "app/metrics.h"
#include "web/router.h"

namespace stagecraft {

/// The routes of the demo application. With `close=1` in the query of any of them its answer closes
/// the connection.
///
///     /                        draws what six clients see; its files are below /page/
///     /plaintext, /json,       short texts that are always the same
///     /health, /doc/index.html
///     /testolope               the same; /testolope-nokeepalive closes the connection
///     /files/...               the files of --root
///     /echo                    gives a body back
///     /upload                  counts a body of any type, and the fields and files of a form
///     /raw                     switches to a protocol of its own, "echo" (app/raw_echo.h)
///     /chunks?n=N              N lines, each a chunk of its own
///     /whoami                  JSON: who answers this request, and since when
///     /block?ms=N              the same after N ms, for which the handler sleeps
///     /slow?ms=N               the same after N ms, by an answer that the handler has promised
///     /gate?name=G             the same as soon as a test opens the gate (app/gates.h)
///     /silent?ms=N             connects to this server, and says nothing for N ms
///     /metrics                 what has been counted, for Prometheus
///
/// `ms` is at most 10,000 and `n` at most 1,000,000; more counts as that much.
///
/// `stage` is the name that /whoami gives the server. `metrics` are those that /metrics shows; they
/// must outlive the table. Throws std::system_error if a folder that the options name cannot be
/// opened.
Router demo_routes(std::string_view stage, const ProgramOptions& options, const Metrics& metrics);

/// Adds a route that understands close=1.
void add_demo_route(Router& table, std::string_view pattern, std::initializer_list<Method> methods,
                    Route route);

/// Counts what it is sent: JSON with the bytes and the type, of a form also the number of its
/// fields and files; the bytes of a multipart form are those of its files.
Route upload_route(std::uint64_t max_bytes);

/// The part of them that shows when a request was worked on and by whom: /whoami, /block, /slow,
/// /gate and /silent.
void add_probe_routes(Router& table, std::string_view stage, const ProgramOptions& options);

}  // namespace stagecraft
