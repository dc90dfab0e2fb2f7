import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import io.confluent.parallelconsumer.vertx.VertxParallelEoSStreamProcessor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListener;

/**
 * Handles the commands of TOPIC as users of three libraries would: reads one, POSTs its signed form, reads the answer, publishes one event
 * and commits. There is no journal, check or limit; settings are the libraries' defaults but for order by key and the calls in flight.
 */
public final class Peer {
  private static final String TOPIC = System.getenv("TOPIC");
  private static final String EVENTS = System.getenv("EVENTS_TOPIC");
  private static final URI PLATFORM = URI.create(System.getenv("PAYMENT_URL"));
  private static final int IN_FLIGHT = Integer.parseInt(System.getenv("IN_FLIGHT"));
  private static final String FORM = "application/x-www-form-urlencoded; charset=UTF-8";

  private static final Map<String, Object> CONSUMER = Map.of(
      "bootstrap.servers", System.getenv("KAFKA_BROKERS"),
      "group.id", System.getenv("GROUP_ID"),
      "auto.offset.reset", "earliest",
      "enable.auto.commit", false,
      "key.deserializer", StringDeserializer.class,
      "value.deserializer", StringDeserializer.class);
  private static final KafkaProducer<String, String> PRODUCER = new KafkaProducer<>(Map.of(
      "bootstrap.servers", System.getenv("KAFKA_BROKERS"),
      "key.serializer", StringSerializer.class,
      "value.serializer", StringSerializer.class));
  private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  public static void main(String[] args) {
    switch (args[0]) {
      case "parallel-consumer" -> parallelConsumer();
      case "parallel-consumer-vertx" -> parallelConsumerOnVertx();
      case "spring-kafka" -> springKafka();
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void parallelConsumer() {
    ParallelStreamProcessor<String, String> processor = ParallelStreamProcessor.createEosStreamProcessor(
        options().producer(PRODUCER).build());
    processor.subscribe(List.of(TOPIC));
    processor.pollAndProduce(context -> handled(context.getSingleConsumerRecord()));
  }

  private static void parallelConsumerOnVertx() {
    Vertx vertx = Vertx.vertx();
    WebClient client = WebClient.create(vertx, new WebClientOptions().setMaxPoolSize(IN_FLIGHT));
    VertxParallelEoSStreamProcessor<String, String> processor =
        new VertxParallelEoSStreamProcessor<>(vertx, client, options().build());
    processor.subscribe(List.of(TOPIC));
    processor.vertxFuture(context -> {
      ConsumerRecord<String, String> command = context.getSingleConsumerRecord();
      return client.postAbs(PLATFORM.toString())
          .putHeader("content-type", FORM)
          .putHeader("accept", "application/json")
          .sendBuffer(Buffer.buffer(Command.form(command.value())))
          .compose(answer -> published(event(command, answer.statusCode(), answer.bodyAsString())));
    });
  }

  private static void springKafka() {
    ContainerProperties properties = new ContainerProperties(TOPIC);
    properties.setMessageListener((MessageListener<String, String>) command ->
        published(handled(command)).toCompletionStage().toCompletableFuture().join());
    ConcurrentMessageListenerContainer<String, String> container =
        new ConcurrentMessageListenerContainer<>(new DefaultKafkaConsumerFactory<>(CONSUMER), properties);
    container.setConcurrency(Integer.parseInt(System.getenv("PARTITIONS")));
    container.start();
  }

  private static ParallelConsumerOptions.ParallelConsumerOptionsBuilder<String, String> options() {
    return ParallelConsumerOptions.<String, String>builder()
        .consumer(new KafkaConsumer<>(CONSUMER))
        // It looks into the consumer by reflection, which newer consumers do not allow.
        .ignoreReflectiveAccessExceptionsForAutoCommitDisabledCheck(true)
        .ordering(ProcessingOrder.KEY)
        .maxConcurrency(IN_FLIGHT);
  }

  private static ProducerRecord<String, String> handled(ConsumerRecord<String, String> command) {
    HttpRequest request = HttpRequest.newBuilder(PLATFORM)
        .header("content-type", FORM)
        .header("accept", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(Command.form(command.value())))
        .build();
    HttpResponse<String> answer = Command.checked(() -> HTTP.send(request, HttpResponse.BodyHandlers.ofString()));
    return event(command, answer.statusCode(), answer.body());
  }

  private static ProducerRecord<String, String> event(ConsumerRecord<String, String> command, int status, String answer) {
    return new ProducerRecord<>(EVENTS, command.key(), Command.event(command.value(), status, answer));
  }

  private static Future<Void> published(ProducerRecord<String, String> event) {
    Promise<Void> promise = Promise.promise();
    PRODUCER.send(event, (metadata, error) -> promise.handle(error == null ? Future.succeededFuture() : Future.failedFuture(error)));
    return promise.future();
  }
}
