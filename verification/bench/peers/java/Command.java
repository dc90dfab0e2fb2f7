import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** Makes the form of a bench command, signed as every caller of the platform signs it, and reads the answer. */
final class Command {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String KEY = System.getenv("ACCOUNT_KEY");

  static String form(String command) {
    JsonNode data = parsed(command);
    Map<String, String> parameters = new TreeMap<>();
    parameters.put("IDENTIFIER", System.getenv("IDENTIFIER"));
    parameters.put("OPERATIONTYPE", "authorization");
    parameters.put("VERSION", "3.0");
    for (String name : new String[] {"paymentOption", "amount", "orderId", "description", "extraData"})
      parameters.put(name.toUpperCase(), data.path(name).asText());
    put(parameters, "BILLING%s", data.path("billing"));
    put(parameters, "SHIPTO%s", data.path("shipping"));
    put(parameters, "CLIENT%s", data.path("client"));
    parameters.put("CLIENTIDENT", parameters.remove("CLIENTID"));
    put(parameters, "CART[0][%s]", data.path("cart").path(0));
    parameters.put("HASH", hash(parameters));
    StringBuilder form = new StringBuilder("method=authorization");
    parameters.forEach((name, value) -> form.append('&').append(formName(name)).append('=').append(encoded(value)));
    return form.toString();
  }

  /** Returns the event's data. @throws if the platform did not take the command */
  static String event(String command, int status, String answer) {
    JsonNode read = parsed(answer);
    String code = read.path("EXECCODE").asText();
    if (status != 200 || !code.startsWith("000")) throw new IllegalStateException("The platform answered " + status + " " + answer);
    return JSON.createObjectNode()
        .put("orderId", parsed(command).path("orderId").asText())
        .put("transactionId", read.path("TRANSACTIONID").asText())
        .put("execCode", code)
        .put("redirectHtml", read.path("REDIRECTHTML").asText())
        .toString();
  }

  private static void put(Map<String, String> parameters, String name, JsonNode fields) {
    fields.fields().forEachRemaining(
        field -> parameters.put(name.replace("%s", field.getKey().toUpperCase()), field.getValue().asText()));
  }

  private static String hash(Map<String, String> parameters) {
    StringBuilder clear = new StringBuilder(KEY);
    parameters.forEach((name, value) -> clear.append(name).append('=').append(value).append(KEY));
    return checked(() -> HexFormat.of().formatHex(
        MessageDigest.getInstance("SHA-256").digest(clear.toString().getBytes(StandardCharsets.UTF_8))));
  }

  /** `CART[0][TAX]` travels as `params[CART][0][TAX]`. */
  private static String formName(String name) {
    int index = name.indexOf('[');
    String root = index < 0 ? name : name.substring(0, index);
    return encoded("params[" + root + "]" + name.substring(root.length()));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static JsonNode parsed(String text) {
    return checked(() -> JSON.readTree(text));
  }

  /** Java's checked exceptions are faults here. */
  static <T> T checked(Callable<T> work) {
    try {
      return work.call();
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }
}
