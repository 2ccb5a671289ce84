#include "app/files.h"

#include <memory>

#include "app/proxies.h"
#include "web/static_files.h"

namespace stagecraft {

Router file_routes(const ProgramOptions& options) {
  const auto files = std::make_shared<const StaticFiles>(options.root, options.listing);
  Router table(proxy_filters(options.proxies));
  table.add("/...", {Method::get}, {[files](const Request& request, Response& response) {
              files->answer(request, request.path().substr(1), response);
            }});
  return table;
}

}  // namespace stagecraft
