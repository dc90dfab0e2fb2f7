package example;

import static java.util.stream.Collectors.joining;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import tools.jackson.databind.JsonNode;

/** Authorizes an order, waits for the customer, captures it, and refunds it. */
public final class Pay {
  private static final String BROKERS = setting("KAFKA_BROKERS", "127.0.0.1:9092");
  private static final String PREFIX = setting("KAFKA_TOPIC_PREFIX", "");
  private static final String MERCHANT = setting("MERCHANT", "shop-fr");
  private static final String ORDER_ID = setting("ORDER_ID", "java-" + System.currentTimeMillis());

  /** The published test key, which {@code npm run stack} accepts for shop-fr and production refuses. */
  private static final Tranche.Signer SIGNER =
      new Tranche.Signer(
          setting("SIGNING_KID", "shop-fr-test"),
          setting("SIGNING_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"),
          setting("ENVIRONMENT_ID", "demo"));

  private static final String COMMANDS = PREFIX + "payments.commands.partner-a.v1";
  private static final String EVENTS = PREFIX + "payments.events.v1";

  /** In production, only operators may read it. */
  private static final String DEAD_LETTERS = PREFIX + "payments.commands.dead-letter.v1";

  private static final Duration FIRST_ANSWER = Duration.ofSeconds(60);

  private static final Map<String, Object> ORDER =
      Map.of("merchant", MERCHANT, "orderId", ORDER_ID, "amount", 30_000, "description", "Three chairs");

  /** In your service: columns of the order. */
  private final Map<String, Tranche.Command> commands = new HashMap<>();

  /** In your service: a table with a unique key, written in the transaction of the work. */
  private final Set<String> seen = new HashSet<>();

  private final KafkaProducer<String, byte[]> producer;

  private Pay(KafkaProducer<String, byte[]> producer) {
    this.producer = producer;
  }

  public static void main(String[] arguments) throws Exception {
    try (var producer = Tranche.connectProducer(BROKERS)) {
      var pay = new Pay(producer);
      pay.publishOnce("payment.authorize", authorization());
      pay.follow();
      System.out.println(ORDER_ID + " was captured and refunded");
    } catch (Refused refused) {
      System.err.println(refused.getMessage());
      System.exit(1);
    }
  }

  /** A success may be published again with more details. It must not lead to a second capture with another id. */
  private void publishOnce(String type, Map<String, Object> data) throws Exception {
    if (commands.containsKey(type)) return;
    commands.put(type, Tranche.newCommand(COMMANDS, type, data));
    Tranche.publish(producer, SIGNER, commands.get(type));
    System.out.println("published " + type);
  }

  private void follow() throws Exception {
    var deadline = Instant.now().plus(FIRST_ANSWER);
    try (var consumer = Tranche.connectConsumer(BROKERS, "shop-in-java")) {
      consumer.subscribe(List.of(EVENTS, DEAD_LETTERS));
      while (true) {
        for (var record : consumer.poll(Duration.ofSeconds(1)))
          if ((MERCHANT + "/" + ORDER_ID).equals(record.key()) && handle(record)) return;
        consumer.commitSync();
        if (seen.isEmpty() && Instant.now().isAfter(deadline))
          throw new Refused(
              "no answer in %s s: check the command with `tranche commands check`".formatted(FIRST_ANSWER.toSeconds()));
      }
    }
  }

  /** Returns whether the order has ended. */
  private boolean handle(ConsumerRecord<String, byte[]> record) throws Exception {
    var headers = Tranche.headersOf(record);
    if (record.topic().equals(DEAD_LETTERS))
      throw new Refused(
          "dead letter: %s: %s".formatted(headers.get("dead-letter-code"), headers.get("dead-letter-message")));
    if (seen.contains(headers.get("ce_id"))) return false;
    var type = headers.get("ce_type");
    System.out.println("received " + type);
    var data = Tranche.JSON.readTree(record.value());
    // It comes in place of the event that its outcome names.
    if (type.endsWith(".doubt_resolved")) type = type.replace("doubt_resolved", data.get("outcome").asString());
    switch (type) {
      case "payment.authorize.redirect_required" -> {
        Files.write(Path.of("form.html"), Base64.getDecoder().decode(data.get("redirectHtml").asString()));
        System.out.println("open form.html and decide as the customer");
      }
      case "payment.authorize.succeeded" -> publishOnce("payment.capture", ORDER);
      case "payment.capture.succeeded" -> publishOnce("payment.refund", ORDER);
      default -> {
        if (type.matches(".*\\.(refused|rejected|expired|not_executed)")) throw new Refused(type + ": " + reasonOf(data));
      }
    }
    seen.add(headers.get("ce_id"));
    return type.equals("payment.refund.succeeded");
  }

  private static String reasonOf(JsonNode data) {
    var faults =
        data.path("faults").valueStream()
            .map(fault -> fault.path("path").asString() + " " + fault.path("message").asString())
            .collect(joining("; "));
    return faults.isEmpty() ? data.path("message").asString("no reason given") : faults;
  }

  private static Map<String, Object> authorization() {
    var person =
        Map.of(
            "firstName", "Jeanne",
            "lastName", "Martin",
            "mobilePhone", "+33612345678",
            "address", "12 rue des Lilas",
            "postalCode", "75011",
            "city", "Paris",
            "country", "FR");
    var client =
        Map.of("id", "customer-1", "email", "jeanne@example.com", "ip", "203.0.113.10", "userAgent", "Mozilla/5.0");
    var data = new HashMap<>(ORDER);
    data.put("paymentOption", "partnerA-3xcb");
    data.put("client", client);
    data.put("billing", person);
    data.put("shipping", person);
    data.put("cart", List.of(Map.of("totalAmount", 30_000)));
    return data;
  }

  private static String setting(String name, String otherwise) {
    return System.getenv().getOrDefault(name, otherwise);
  }

  private static final class Refused extends Exception {
    Refused(String message) {
      super(message);
    }
  }
}
