import kafkajs, { type logCreator } from 'kafkajs';
import type { Log } from '@tranche/runtime';

/**
 * Messages of every rebalance, election, and first contact with an empty broker. kafkajs itself handles a response with an error (`Response
 * …`), and our consumers log their crashes and restarts.
 */
const passing =
  /^Response |^Crash: |^Restarting the consumer in |not aware of (?:this member|all assigned partitions)|coordinator is (loading|not available)|not the correct coordinator|does not host this topic-partition|no leader for this topic-partition|not the leader for that topic-partition|group is rebalancing|Limiting retries for the idempotent producer/i;

/** kafkajs logs errors that it retries by itself; if it gives up, we get an exception or a crash. */
export function logCreatorFor(log: Log): logCreator {
  return () =>
    ({ namespace, level, log: entry }) => {
      const { message, ...rest } = entry;
      const fields = {
        kafkajs: namespace,
        error: textOf(rest['error']),
        groupId: textOf(rest['groupId']),
        broker: textOf(rest['broker']),
      };
      if (
        level === kafkajs.logLevel.INFO ||
        level === kafkajs.logLevel.DEBUG ||
        passing.test(message) ||
        passing.test(fields.error ?? '')
      )
        log.debug(fields, message);
      else log.warn(fields, message);
    };
}

function textOf(value: unknown): string | undefined {
  if (value instanceof Error) return value.message;
  return typeof value === 'string' ? value : undefined;
}

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
