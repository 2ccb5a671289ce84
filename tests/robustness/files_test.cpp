// Files, and ways out of their folder.
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "catch.h"
#include "robustness/support.h"
#include "support/process_view.h"
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

TEST_CASE("No file stays open, whether it was sent or not", "[files]") {
  const TestServer server;
  server.folder().write("files/a.txt", "the text");
  server.folder().write("files/large", noise(8 * mebibyte));
  Client client(server.endpoint());
  CHECK(ask(client, "/files/a.txt").body == "the text");
  wait_until_at_rest(server.process());
  const std::size_t descriptors = descriptors_of(server.process());
  for (int i = 0; i < 10; ++i) {
    CHECK(ask(client, "/files/a.txt").body == "the text");
    client.send(request("HEAD", "/files/a.txt"));
    CHECK(client.read_response("HEAD").status == 200);
    client.send(request("POST", "/files/a.txt"));
    CHECK(client.read_response("POST").status == 405);
    client.send(get("/files/a.txt", "If-Modified-Since: Fri, 31 Dec 9999 23:59:59 GMT\r\n"));
    client.read_response();
  }
  check_descriptors(server, descriptors);
  client.send(get("/files/large"));
  client.wait_until_readable();
  client.reset();
  check_descriptors(server, descriptors - 1);
}

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

TEST_CASE("A file server serves its folder at the root, and nothing else", "[files]") {
  const TestServer server({"--app", "files", "--listing", "on"});
  fill(server.folder());
  Client client(server.endpoint());
  CHECK(ask(client, "/a.txt").body == "may be read");
  CHECK(ask(client, "/files/a.txt").status == 404);
  CHECK(ask(client, "/health").status == 404);
  const HttpResponse list = ask(client, "/");
  CHECK(list.status == 200);
  CHECK(list.body.find("<a href=\"./a.txt\">a.txt</a>") != std::string::npos);
  CHECK(list.body.find("<a href=\"./sub/\">sub/</a>") != std::string::npos);
  for (const char* name : {"hidden", "link", "relative", "up", "fifo", ".git"}) {
    INFO(name);
    CHECK(list.body.find(name) == std::string::npos);
  }
  CHECK(ask(client, "/sub").field("Location") == "/sub/");
}

TEST_CASE("A FIFO without a writer holds nobody up", "[files]") {
  const TestServer server({"--app", "files"});
  fill(server.folder());
  Client client(server.endpoint());
  // Were it opened as a file is, the answer would wait for a writer, and the client in vain.
  for (int i = 0; i < 20; ++i) CHECK(ask(client, "/fifo").status == 404);
  CHECK(ask(client, "/a.txt").body == "may be read");
}

TEST_CASE("Files leave no descriptor behind, whatever becomes of them", "[files]") {
  const TestServer server({"--app", "files"});
  fill(server.folder());
  Client client(server.endpoint());
  const auto ask_with = [&client](std::string_view target, std::string_view fields) {
    client.send(get(target, fields));
    return client.read_response().status;
  };
  CHECK(ask_with("/a.txt", "") == 200);
  const std::size_t before = descriptors_of(server.process());
  for (int i = 0; i < 20; ++i) {
    CHECK(ask_with("/a.txt", "") == 200);
    CHECK(ask_with("/a.txt", "If-None-Match: *\r\n") == 304);
    CHECK(ask_with("/a.txt", "If-Match: \"x\"\r\n") == 412);
    CHECK(ask_with("/a.txt", "Range: bytes=100-\r\n") == 416);
    CHECK(ask_with("/a.txt", "Range: bytes=0-1,4-5\r\n") == 206);
    CHECK(ask_with("/a.txt", "Accept-Encoding: *;q=0\r\n") == 406);
    CHECK(ask_with("/link.txt", "") == 404);
    CHECK(ask_with("/sub", "") == 301);
    CHECK(ask_with("/", "") == 404);
  }
  check_descriptors(server, before);
}

TEST_CASE("Errors are told as JSON to a client who prefers it", "[files]") {
  const TestServer server({"--app", "files"});
  Client client(server.endpoint());
  client.send(get("/missing", "Accept: application/json\r\n"));
  const HttpResponse json = client.read_response();
  CHECK(json.status == 404);
  CHECK(json.field("Content-Type") == "application/problem+json");
  CHECK(json.body.find("\"status\":404") != std::string::npos);
  CHECK(ask(client, "/missing").field("Content-Type") == "text/html; charset=utf-8");
}

}  // namespace stagecraft::robustness
