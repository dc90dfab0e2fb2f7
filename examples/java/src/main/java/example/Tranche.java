package example;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import tools.jackson.databind.json.JsonMapper;

/** Commands of Tranche as Kafka records: envelope, key, partition, signature. Copy this file into your service. */
final class Tranche {
  static final JsonMapper JSON = JsonMapper.shared();

  /** Store it with the order before you publish it: a repeat is the same record, with the same id and time. */
  record Command(String topic, String key, Map<String, String> headers, byte[] value) {}

  static Command newCommand(String topic, String type, Map<String, Object> data) {
    var headers =
        Map.of(
            "ce_specversion", "1.0",
            "ce_id", UUID.randomUUID().toString(),
            "ce_source", "/shop/java",
            "ce_type", type,
            "ce_time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString(),
            "content-type", "application/json");
    return new Command(topic, data.get("merchant") + "/" + data.get("orderId"), headers, JSON.writeValueAsBytes(data));
  }

  /** {@code seed} is the Ed25519 key: {@code d} of its JWK. {@code environmentId} is the gateway's ENVIRONMENT_ID. */
  record Signer(String kid, String seed, String environmentId) {
    /** Returns the header tranche-signature: a detached JWS over everything that the gateway reads. */
    String sign(Command command) throws GeneralSecurityException {
      var text = new StringBuilder("tranche-command-v1\n");
      text.append("environment:").append(environmentId).append('\n');
      text.append("topic:").append(command.topic).append('\n');
      text.append("key:").append(command.key).append('\n');
      new TreeMap<>(command.headers)
          .forEach(
              (name, value) -> {
                if (name.equals("content-type") || name.startsWith("ce_"))
                  text.append(name).append(':').append(value).append('\n');
              });
      text.append("sha256:").append(base64url(MessageDigest.getInstance("SHA-256").digest(command.value)));
      var members = new TreeMap<>(Map.of("alg", "EdDSA", "kid", kid));
      var header = base64url(JSON.writeValueAsBytes(members));
      var signature = Signature.getInstance("Ed25519");
      var key = new EdECPrivateKeySpec(NamedParameterSpec.ED25519, Base64.getUrlDecoder().decode(seed));
      signature.initSign(KeyFactory.getInstance("Ed25519").generatePrivate(key));
      signature.update((header + "." + base64url(text.toString().getBytes(UTF_8))).getBytes(UTF_8));
      return header + ".." + base64url(signature.sign());
    }
  }

  private static String base64url(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Its own settings are right: the partition is murmur2 of the key, acks=all, idempotent. */
  static KafkaProducer<String, byte[]> connectProducer(String brokers) {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", brokers, "delivery.timeout.ms", 30_000, "request.timeout.ms", 10_000),
        new StringSerializer(),
        new ByteArraySerializer());
  }

  /** Returns when Kafka has stored the command. After an exception, publish the same command again. */
  static void publish(KafkaProducer<String, byte[]> producer, Signer signer, Command command)
      throws GeneralSecurityException, ExecutionException, InterruptedException {
    var record = new ProducerRecord<>(command.topic, command.key, command.value);
    command.headers.forEach((name, text) -> record.headers().add(name, text.getBytes(UTF_8)));
    record.headers().add("tranche-signature", signer.sign(command).getBytes(UTF_8));
    producer.send(record).get();
  }

  static KafkaConsumer<String, byte[]> connectConsumer(String brokers, String group) {
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers", brokers,
            "group.id", group,
            "auto.offset.reset", "earliest",
            "enable.auto.commit", false), // commitSync() after the work, so that a crash loses no event
        new StringDeserializer(),
        new ByteArrayDeserializer());
  }

  static Map<String, String> headersOf(ConsumerRecord<String, byte[]> record) {
    var headers = new HashMap<String, String>();
    for (Header header : record.headers())
      headers.put(header.key(), header.value() == null ? "" : new String(header.value(), UTF_8));
    return headers;
  }

  private Tranche() {}
}
