#include "app/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/nearest_word.h"
#include "app/option_errors.h"
#include "app/proxies.h"
#include "base/units.h"

namespace stagecraft {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max() / 2;
constexpr milliseconds longest = std::chrono::hours(24);
constexpr std::size_t max_head_offset = 65'535;  // offsets into a head have 16 bits
constexpr std::size_t max_buffer = 64 * MiB;     // for buffers that each connection may have

/// Whether a duration may be 0, which then means that there is no such timer.
enum class Zero : std::uint8_t { refused, allowed };

/// The options of one program, each bound to the member that it sets. Every value arrives as text
/// and is checked by a function of ours, so that an error says in one line what would have been
/// right.
class CommandLine {
 public:
  CommandLine(ProgramOptions& options, const StageFeatures& features);

  /// Throws CLI::ParseError, also for --help and --version.
  void parse(int argc, const char* const* argv);
  std::string help() const { return app_.help(); }
  /// After an argument that was not expected: the option that it may have been meant to be, or "".
  std::string meant() const;

 private:
  void add_listening(Options& options, const StageFeatures& features);
  void add_threads(Options& options, const StageFeatures& features);
  void add_content(ProgramOptions& options);
  void add_proxies(TrustedProxies& proxies);
  void add_watching(ProgramOptions& options);
  void add_timeouts(Options& options, const StageFeatures& features);
  void add_limits(Limits& limits);

  /// An option whose text goes to SET, which throws std::invalid_argument if it is not right.
  void add(const std::string& name, const char* type, const std::string& initial,
           const std::string& help, std::function<void(const std::string&)> set);

  template <typename T>
  void add_number(const std::string& name, T& target, std::uint64_t min, std::uint64_t max,
                  const std::string& help);
  template <typename T>
  void add_size(const std::string& name, T& target, std::uint64_t min, std::uint64_t max,
                const std::string& help);
  void add_duration(const std::string& name, milliseconds& target, Zero zero,
                    const std::string& help);
  template <typename T>
  void add_choice(const std::string& name, T& target,
                  const std::vector<std::pair<std::string, T>>& choices, const std::string& help);
  void add_switch(const std::string& name, bool& target, const std::string& help);
  void add_folder(const std::string& name, std::string& target, const std::string& help);

  /// A text that was given for an option, and what takes it.
  struct Setting {
    std::string option, text;
    std::function<void(const std::string&)> set;
  };

  const ProgramOptions& options_;
  CLI::App app_;
  std::vector<Setting> settings_;
  std::string group_;  ///< the heading in --help under which options are being added
};

CommandLine::CommandLine(ProgramOptions& options, const StageFeatures& features)
    : options_(options), app_("Serves HTTP/1.1.", std::string(features.name)) {
  app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app_.allow_config_extras(CLI::config_extras_mode::error);
  app_.get_formatter()->column_width(36);
  app_.set_help_flag("--help", "Print this and exit");
  app_.set_version_flag("--version",
                        "stagecraft " STAGECRAFT_VERSION " " + std::string(features.name),
                        "Print the version and exit");
  app_.set_config("--config", "",
                  "Read options from FILE, lines such as idle-timeout = 2s;\n"
                  "the command line wins")
      ->type_name("FILE");
  app_.footer(
      "SIZE is a number of bytes, or has a unit: 512, 64KiB, 1MiB, 2GiB.\n"
      "DURATION has a unit: 250ms, 2s, 1min, 1h; only 0 may stand alone.\n"
      "The server opens as many files as the hard limit allows (ulimit -Hn).");
  add_listening(options, features);
  add_threads(options, features);
  add_content(options);
  add_proxies(options.proxies);
  add_watching(options);
  add_timeouts(options, features);
  add_limits(options.limits);
}

std::string CommandLine::meant() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& argument : app_.remaining()) {
    const std::string name = nearest_word(argument.substr(0, argument.find('=')), names);
    if (!name.empty()) return name;
  }
  return {};
}

void CommandLine::add_listening(Options& options, const StageFeatures& features) {
  group_ = "Listening";
  add("--host", "ADDRESS", options.host, "Numeric address, or a name such as localhost",
      [&options](const std::string& text) {
        if (text.empty()) throw std::invalid_argument("must not be empty");
        options.host = text;
      });
  add_number("--port,port", options.port, 0, 65'535,
             "Port; 0: any free one. A bare number means it");
  if (features.accept_length) {
    add_number("--accept-length", options.accept_length, 1, 65'535,
               "Connections that may wait to be accepted;\nat most what net.core.somaxconn says");
  }
  if (features.reuse_addr) {
    add_switch("--reuse-addr", options.reuse_addr,
               "Listen although old connections of the port\nhave not expired (SO_REUSEADDR)");
  }
  if (features.reuse_port) {
    add_switch("--reuse-port", options.reuse_port,
               "Share the port with other servers (SO_REUSEPORT)");
  }
}

void CommandLine::add_threads(Options& options, const StageFeatures& features) {
  group_ = "Threads and connections";
  if (features.max_connections) {
    add_number("--max-connections", options.max_connections, 1, 1'000'000,
               "Clients served at once; further ones wait to be\naccepted, or are told 503");
  }
  if (features.concurrency) {
    add_number("--concurrency", options.concurrency, 0, 1024,
               "Event loops; 0: one for each processor");
  }
  if (features.resolution) {
    add_duration("--resolution", options.resolution, Zero::refused,
                 "Deadlines are rounded up to multiples of it");
  }
  if (features.executor) {
    add_choice<Executor>(
        "--executor", options.executor,
        {{"inline", Executor::inline_}, {"pool", Executor::pool}, {"thread", Executor::thread}},
        "Where handlers run: on the event loop; on the\npool; each on a thread of its own");
  }
  if (features.workers) {
    add_number("--workers", options.workers, 1, 10'000, "Threads of the pool");
    add_number(
        "--workers-max", options.workers_max, 0, 10'000,
        "To how many it may grow; they retire when idle.\nBelow --workers: it does not grow");
    add_number("--queue", options.queue, 1, 1'000'000, "Jobs that may wait for a worker; then 503");
  }
  if (features.stack_size) {
    add_size("--stack-size", options.stack_size, 64 * KiB, 64 * MiB,
             "Stack of each thread that runs handlers");
  }
}

void CommandLine::add_content(ProgramOptions& options) {
  group_ = "Content";
  add_choice<App>("--app", options.app,
                  {{"demo", App::demo},
                   {"echo", App::echo},
                   {"files", App::files},
                   {"guestbook", App::guestbook}},
                  "demo: the page at / and its routes;\necho: any path, for probes;\n"
                  "files: the files of --root at /;\n"
                  "guestbook: log in, write, upload");
  add_folder("--root", options.root, "Folder of the files under /files/");
  add_choice<Listing>("--listing", options.listing, {{"on", Listing::on}, {"off", Listing::off}},
                      "Show a folder without index.html as a list");
}

void CommandLine::add_proxies(TrustedProxies& proxies) {
  group_ = "Behind a proxy";
  add("--trust-proxy", "NETWORKS", "",
      "Who may say for whom he asks: addresses, or\nnetworks as 10.0.0.0/8, with commas between",
      [&proxies](const std::string& text) { proxies.networks = networks_of(text); });
  add_choice<ForwardedField>(
      "--forwarded-field", proxies.field,
      {{"x-forwarded-for", ForwardedField::x_forwarded_for},
       {"forwarded", ForwardedField::forwarded}},
      "The field in which he does, and which he never\nlets through as it came");
}

void CommandLine::add_watching(ProgramOptions& options) {
  group_ = "Watching";
  add_choice<LogLevel>(
      "--log", options.log,
      {{"off", LogLevel::off},
       {"access", LogLevel::access},
       {"verbose", LogLevel::verbose},
       {"debug", LogLevel::debug}},
      "What goes to stderr: errors only; and a line\nfor each answer; and the fields of both;\n"
      "or a line for each answer and each event");
  add("--trace", "FILE", "",
      "File or FIFO for events, one line of JSON each;\nwaits for a FIFO's reader",
      [&options](const std::string& text) { options.trace = text; });
  add_folder("--gates", options.gates, "Folder of the FIFOs that /gate?name=G waits for");
}

void CommandLine::add_timeouts(Options& options, const StageFeatures& features) {
  group_ = "Timeouts";
  Limits& limits = options.limits;
  std::string idle_help = "For the first byte of a request; then closed";
  if (!features.idle_timeout_reason.empty()) {
    idle_help.append(".\n").append(features.idle_timeout_reason);
  }
  add_duration("--idle-timeout", limits.idle_timeout, Zero::refused, idle_help);
  add_duration("--head-timeout", limits.head_timeout, Zero::refused,
               "From first byte to end of head; then 408");
  add_duration("--body-timeout", limits.body_timeout, Zero::refused,
               "For each 64 KiB of a body; then 408");
  add_duration("--answer-timeout", limits.answer_timeout, Zero::allowed,
               "For the handler to answer; then 503. 0: off");
  add_duration("--send-timeout", limits.send_timeout, Zero::refused,
               "For the client to take 64 KiB; then reset");
  add_duration("--linger-timeout", limits.linger_timeout, Zero::refused,
               "For the client to close after our last byte");
  add_duration("--request-timeout", limits.request_timeout, Zero::allowed,
               "Over idle, head and body together. 0: off");
  add_duration("--grace", options.grace, Zero::allowed, "For requests that run when told to stop");
}

void CommandLine::add_limits(Limits& limits) {
  group_ = "Limits";
  add_size("--max-request-line", limits.max_request_line, 16, max_head_offset,
           "Method, target and version; then 414");
  add_size("--max-head-size", limits.max_head_size, 64, max_head_offset,
           "Request line and fields; then 431. At most 65535");
  add_number("--max-fields", limits.max_fields, 1, 128, "Fields of a head; then 431");
  add_size("--max-request-size", limits.max_request_size, 0, no_limit,
           "Body, unless its route says otherwise; then 413");
  add_size("--max-chunk-overhead", limits.max_chunk_overhead, 16, max_buffer,
           "Chunk-size lines of one body; then 413");
  add_size("--max-trailer-size", limits.max_trailer_size, 0, max_head_offset,
           "Fields after a chunked body; then 431");
  add_size("--max-output", limits.max_output, 1 * KiB, max_buffer,
           "Answers gathered before they are sent");
  add_size("--max-buffered", limits.max_buffered, 0, no_limit,
           "Bodies in memory, of the whole server; then 503");
  add_size("--max-drain", limits.max_drain, 0, no_limit, "Unwanted body read to keep a connection");
  add_size("--max-linger", limits.max_linger, 0, no_limit,
           "Input thrown away after the last answer");
  add_size("--read-buffer-size", limits.read_buffer_size, 1 * KiB, max_buffer,
           "Room offered to one receive. At least 1KiB");
}

void CommandLine::add(const std::string& name, const char* type, const std::string& initial,
                      const std::string& help, std::function<void(const std::string&)> set) {
  const auto keep = [this, name = name.substr(0, name.find(',')),
                     set = std::move(set)](const std::string& text) {
    settings_.push_back({name, text, set});
  };
  app_.add_option_function<std::string>(name, keep, help)
      ->type_name(type)
      ->default_str(initial)
      ->group(group_);
}

void CommandLine::parse(int argc, const char* const* argv) {
  app_.parse(argc, argv);
  // Only now: the value of an option that does not exist looks like a bare port number, and to say
  // what is wrong with that number would hide what is wrong.
  for (const Setting& setting : settings_) {
    try {
      setting.set(setting.text);
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError(setting.option, "'" + setting.text + "' " + error.what());
    }
  }
  if (options_.app == App::files && options_.root.empty()) {
    throw CLI::ValidationError("--app", "'files' needs a --root");
  }
}

template <typename T>
void CommandLine::add_number(const std::string& name, T& target, std::uint64_t min,
                             std::uint64_t max, const std::string& help) {
  add(name, "NUMBER", std::to_string(target), help, [&target, min, max](const std::string& text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || rest != end || number < min || number > max) {
      throw std::invalid_argument("must be a whole number from " + std::to_string(min) + " to " +
                                  std::to_string(max));
    }
    target = static_cast<T>(number);
  });
}

template <typename T>
void CommandLine::add_size(const std::string& name, T& target, std::uint64_t min, std::uint64_t max,
                           const std::string& help) {
  static_assert(std::is_unsigned_v<T> && sizeof(T) == sizeof max);
  add(name, "SIZE", format_size(target), help, [&target, min, max](const std::string& text) {
    const std::uint64_t size = parse_size(text);
    if (size < min) throw std::invalid_argument("must be at least " + format_size(min));
    if (size > max) throw std::invalid_argument("must be at most " + format_size(max));
    target = size;
  });
}

void CommandLine::add_duration(const std::string& name, milliseconds& target, Zero zero,
                               const std::string& help) {
  add(name, "DURATION", format_duration(target), help, [&target, zero](const std::string& text) {
    const milliseconds duration = parse_duration(text);
    if (duration == milliseconds::zero() && zero == Zero::refused) {
      throw std::invalid_argument("must be at least 1ms");
    }
    if (duration > longest) {
      throw std::invalid_argument("must be at most " + format_duration(longest));
    }
    target = duration;
  });
}

template <typename T>
void CommandLine::add_choice(const std::string& name, T& target,
                             const std::vector<std::pair<std::string, T>>& choices,
                             const std::string& help) {
  std::string all;
  std::string initial;
  for (const auto& [word, value] : choices) {
    all.append(all.empty() ? "" : "|").append(word);
    if (value == target) initial = word;
  }
  add(name, all.c_str(), initial, help, [&target, choices, all](const std::string& text) {
    const auto found = std::find_if(choices.begin(), choices.end(),
                                    [&](const auto& choice) { return choice.first == text; });
    if (found == choices.end()) throw std::invalid_argument("must be one of " + all);
    target = found->second;
  });
}

void CommandLine::add_switch(const std::string& name, bool& target, const std::string& help) {
  add_choice<bool>(name, target, {{"on", true}, {"off", false}}, help);
}

void CommandLine::add_folder(const std::string& name, std::string& target,
                             const std::string& help) {
  add(name, "FOLDER", "", help, [&target](const std::string& text) {
    std::error_code error;
    if (!std::filesystem::is_directory(text, error)) throw std::invalid_argument("is not a folder");
    target = text;
  });
}

}  // namespace

ParsedOptions parse_options(int argc, const char* const* argv, const StageFeatures& features) {
  ParsedOptions parsed;
  parsed.options.limits.idle_timeout = features.idle_timeout;
  CommandLine command_line(parsed.options, features);
  try {
    command_line.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    parsed.kind = ParsedOptions::show;
    parsed.text = command_line.help();
  } catch (const CLI::CallForVersion& version) {
    parsed.kind = ParsedOptions::show;
    parsed.text = std::string(version.what()) + '\n';
  } catch (const CLI::ParseError& error) {
    const std::string meant = command_line.meant();
    parsed.kind = ParsedOptions::wrong;
    parsed.text.append(features.name)
        .append(": ")
        .append(message_of(error))
        .append(meant.empty() ? " (" : " (did you mean " + meant + "? ")
        .append("--help lists the options)\n");
  }
  return parsed;
}

}  // namespace stagecraft
