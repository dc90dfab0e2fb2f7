interface Failure {
  name?: string;
  type?: string;
  code?: string;
  message?: string;
  cause?: unknown;
}

const OF_CERTIFICATES = /certificate|self[- ]signed|altnames?\b|unable to (?:get|verify)/i;
const OF_TLS = /SSL routines|TLS connection was established|EPROTO/;

/**
 * The reason why a broker that is up refuses us: TLS, SASL, or a connection that it closes. Undefined if the broker is simply down.
 * Settings have the names of the services' variables.
 */
export function refusalOf(error: unknown): string | undefined {
  for (let failure = error as Failure | undefined; failure; failure = failure.cause as Failure | undefined) {
    const said = firstLine(failure.message);
    if (failure.name === 'OAuthBearerError') return `SASL with a token fails (KAFKA_SASL_OAUTHBEARER_*): ${said}`;
    if (failure.name === 'KafkaJSSASLAuthenticationError')
      return `it refuses the user or the password of SASL (KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD): ${said}`;
    if (/SASL/.test(failure.type ?? ''))
      return `it takes no SASL, or another mechanism than KAFKA_SASL_MECHANISM: ${said}`;
    if (OF_CERTIFICATES.test(`${failure.code} ${said}`))
      return `its TLS certificate is not trusted here (KAFKA_SSL_CA_FILE names other authorities): ${said}`;
    if (OF_TLS.test(`${failure.code} ${said}`)) return `TLS fails; it may take no TLS there (KAFKA_SSL): ${said}`;
    if (failure.name === 'KafkaJSConnectionClosedError' || said === 'Closed connection')
      return 'it closes the connection; it may want TLS (KAFKA_SSL) or SASL (KAFKA_SASL_MECHANISM)';
  }
  return undefined;
}

const firstLine = (message = '') => message.split('\n', 1)[0];
