// A header of this program that has the name of one of Stagecraft's: neither hides the other.
#pragma once

#include <string>

namespace tour {

/// A visitor of the tour.
struct Request {
  std::string who;
};

}  // namespace tour
