package example;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;

/** Signs and publishes commands with the example's own code, in place of its program: one JSON object a line on standard input. */
public final class Pay {
  public static void main(String[] arguments) throws Exception {
    var environment = System.getenv();
    var signer =
        new Tranche.Signer(
            environment.get("SIGNING_KID"), environment.get("SIGNING_KEY"), environment.get("ENVIRONMENT_ID"));
    var lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (var producer = Tranche.connectProducer(environment.get("KAFKA_BROKERS"))) {
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        var command = Tranche.JSON.readTree(line);
        var headers = new HashMap<String, String>();
        command.get("headers").properties().forEach(header -> headers.put(header.getKey(), header.getValue().asString()));
        Tranche.publish(
            producer,
            signer,
            new Tranche.Command(
                command.get("topic").asString(),
                command.get("key").asString(),
                headers,
                command.get("value").asString().getBytes(UTF_8)));
      }
    }
  }
}
