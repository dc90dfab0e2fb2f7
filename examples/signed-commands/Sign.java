import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;

/**
 * Signs a command: java Sign.java SEED KID ENVIRONMENT TOPIC KEY VALUE [NAME=TEXT ...]. SEED is `d` of the Ed25519 key's JWK, ENVIRONMENT the
 * gateway's ENVIRONMENT_ID ("" where it has none).
 */
public class Sign {
  public static void main(String[] given) throws Exception {
    Map<String, String> headers = new TreeMap<>();
    for (int at = 6; at < given.length; at++) {
      String[] header = given[at].split("=", 2);
      headers.put(header[0], header[1]);
    }
    System.out.println(sign(given[0], given[1], given[2], given[3], given[4], utf8(given[5]), headers));
  }

  static String sign(
      String seed, String kid, String environment, String topic, String key, byte[] value, Map<String, String> headers)
      throws Exception {
    StringBuilder text = new StringBuilder("tranche-command-v1\n");
    text.append("environment:" + environment + "\ntopic:" + topic + "\nkey:" + key + "\n");
    for (Map.Entry<String, String> header : new TreeMap<>(headers).entrySet())
      if (header.getKey().equals("content-type") || header.getKey().startsWith("ce_"))
        text.append(header.getKey()).append(':').append(header.getValue()).append('\n');
    text.append("sha256:").append(base64url(MessageDigest.getInstance("SHA-256").digest(value)));

    // A key id of letters, digits, dots and hyphens needs no escapes in JSON.
    String header = base64url(utf8("{\"alg\":\"EdDSA\",\"kid\":\"" + kid + "\"}"));
    PrivateKey privateKey =
        KeyFactory.getInstance("Ed25519")
            .generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, Base64.getUrlDecoder().decode(seed)));
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(privateKey);
    signature.update(utf8(header + "." + base64url(utf8(text.toString()))));
    return header + ".." + base64url(signature.sign());
  }

  private static String base64url(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
