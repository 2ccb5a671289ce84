// The JDK's own HTTP server with one short answer, for ./lab bench --peer jdk.
//
//     java BenchServer.java PORT inline|threads
//
// inline is its default executor: handlers run on the thread that waits for connections. threads is
// the change of one line that its users talk about: a thread for each exchange.
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

public class BenchServer {
  public static void main(String[] arguments) throws IOException {
    var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0]));
    var server = HttpServer.create(address, 1024);
    var body = "hello world\n".getBytes(StandardCharsets.UTF_8);
    server.createContext("/", exchange -> {
      exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
      exchange.sendResponseHeaders(200, body.length);
      try (var output = exchange.getResponseBody()) {
        output.write(body);
      }
    });
    if (arguments[1].equals("threads")) {
      server.setExecutor(Executors.newCachedThreadPool());
    }
    server.start();
    System.out.println("listening on http://127.0.0.1:" + server.getAddress().getPort());
  }
}
