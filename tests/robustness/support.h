// What several of the tests need.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "support/test_server.h"

namespace stagecraft::robustness {

/// `options`, and a thread of the pool for each of that many clients, where there is a pool: then a
/// client who stays is in nobody's way, as he is not on the other stages from the second one on.
std::vector<std::string> with_workers(std::size_t count, std::vector<std::string> options = {});

/// The options of a server of the echo application.
std::vector<std::string> echo(std::vector<std::string> options = {});

/// Checks that the server still answers a new client, which it could not if a former one had ended
/// it or kept a thread. Waits for it.
void check_serves(const testing::TestServer& server);

/// Checks that it comes to have `count` descriptors open: nothing is left of those who went.
void check_descriptors(const testing::TestServer& server, std::size_t count);

/// `size` bytes of which no two pieces are alike, so that one that is lost or doubled is found.
std::string noise(std::size_t size);

inline constexpr std::size_t mebibyte = std::size_t{1} << 20U;

/// So little that a server soon has to wait for whoever takes it.
inline constexpr int small_buffer = 4096;

}  // namespace stagecraft::robustness
