// Lets a trace tell which thread runs which handler, and from when to when.
#pragma once

#include "app/telemetry.h"
#include "http/application.h"

namespace stagecraft {

/// APPLICATION, but each handler tells `telemetry` when it is entered and left, on whichever thread
/// a stage runs it. So no stage has a line about it, and who does not trace has no cost: then do
/// not wrap. Each look-up takes a mutex. `telemetry` must outlive what is returned.
Application trace_handlers(Application application, Telemetry& telemetry);

}  // namespace stagecraft
