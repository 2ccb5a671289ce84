// Files, and ways out of their folder.
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "catch.h"
#include "robustness/support.h"
#include "support/requests.h"
#include "support/test_server.h"

namespace stagecraft::robustness {

using namespace testing;

namespace {

// A folder of files, with things around it and in it that nobody may have.
void fill(const ScratchFolder& folder) {
  folder.write("files/a.txt", "may be read");
  folder.write("files/sub/b.txt", "may be read too");
  folder.write("files/.hidden", "secret");
  folder.write("files/sub/.git/config", "secret");
  folder.write("secret.txt", "secret");
  folder.write("files-of-others/secret.txt", "secret");
  const std::string root = folder.path("files");
  std::filesystem::create_symlink(folder.path("secret.txt"), root + "/link.txt");
  std::filesystem::create_symlink("../secret.txt", root + "/relative.txt");
  std::filesystem::create_directory_symlink(folder.path(), root + "/up");
  mkfifo((root + "/fifo").c_str(), 0600);
}

}  // namespace

TEST_CASE("No path leads out of the folder, nor to what is hidden in it", "[files]") {
  const TestServer server;
  fill(server.folder());
  const std::vector<std::string> attacks{"/files/../secret.txt",
                                         "/files/sub/../../secret.txt",
                                         "/files/./../secret.txt",
                                         "/files/%2e%2e/secret.txt",
                                         "/files/%2E%2E/secret.txt",
                                         "/files/.%2e/secret.txt",
                                         "/files/..%2fsecret.txt",
                                         "/files/..%2Fsecret.txt",
                                         "/files/%2e%2e%2fsecret.txt",
                                         "/files/..%5csecret.txt",
                                         "/files/..\\secret.txt",
                                         "/files/%5c..%5csecret.txt",
                                         "/files/%252e%252e/secret.txt",
                                         "/files/%252e%252e%252fsecret.txt",
                                         "/files/..;/secret.txt",
                                         "/files/..;a=b/secret.txt",
                                         "/files/..%3b/secret.txt",
                                         "/files/...//secret.txt",
                                         "/files/..../secret.txt",
                                         "/files/%c0%ae%c0%ae/secret.txt",
                                         "/files/..%c0%afsecret.txt",
                                         "/files/%e0%80%ae%e0%80%ae/secret.txt",
                                         "/files/%uff0e%uff0e/secret.txt",
                                         "/files//secret.txt",
                                         "/files//../secret.txt",
                                         "//files/../secret.txt",
                                         "/../secret.txt",
                                         "/files/a.txt%00.png",
                                         "/files/%00",
                                         "/files/a.txt%0a",
                                         "/files/a.txt/../../secret.txt",
                                         "/files-of-others/secret.txt",
                                         "/files/../files-of-others/secret.txt",
                                         "/files/link.txt",
                                         "/files/relative.txt",
                                         "/files/up/secret.txt",
                                         "/files/up/files/.hidden",
                                         "/files/.hidden",
                                         "/files/%2ehidden",
                                         "/files/sub/.git/config",
                                         "/files/sub/%2egit/config",
                                         "/files/",
                                         "/files/fifo",
                                         "http://a/files/../secret.txt",
                                         "http://a/files/%2e%2e/secret.txt",
                                         "/files/../../../../../../../../etc/passwd",
                                         "/files//etc/passwd",
                                         "/files/%2fetc/passwd"};
  for (const std::string& attack : attacks) {
    Client client(server.endpoint());
    client.send(get(attack, "Connection: close\r\n"));
    const HttpResponse answer = client.read_response();
    INFO(attack);
    CHECK((answer.status == 400 || answer.status == 403 || answer.status == 404));
    CHECK(answer.body.find("secret") == std::string::npos);
    CHECK(answer.body.find("root:") == std::string::npos);
  }
  Client client(server.endpoint());
  CHECK(ask(client, "/files/a.txt").body == "may be read");
  CHECK(ask(client, "/files/sub/b.txt").body == "may be read too");
  CHECK(ask(client, "/files/sub/../a.txt").body == "may be read");
}

}  // namespace stagecraft::robustness
