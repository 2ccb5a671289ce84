// The application that shows what a server does (--app demo).
#pragma once

#include <memory>
#include <string_view>

#include "app/metrics.h"
#include "app/route_table.h"
#include "base/options.h"

namespace stagecraft {

/// The routes of the demo application; docs/routes.md describes each. `close=1` in the query of any
/// of them asks for an answer that closes the connection.
///
/// `stage` is the name that /whoami gives the server. `metrics` are those that /metrics shows; they
/// must outlive the table. Throws std::system_error if a folder that the options name cannot be
/// opened.
RouteTable demo_routes(std::string_view stage, const Options& options, const Metrics& metrics);

/// Adds a route that understands close=1.
void add_demo_route(RouteTable& table, std::string_view pattern,
                    std::initializer_list<Method> methods, Route route);

/// The part of them that shows when a request was worked on and by whom: /whoami, /block, /slow,
/// /gate and /silent.
void add_probe_routes(RouteTable& table, std::string_view stage, const Options& options);

}  // namespace stagecraft
