import kafkajs, { type Mechanism } from 'kafkajs';
import {
  allowInsecureRequests,
  clientCredentialsGrantRequest,
  ClientSecretBasic,
  processClientCredentialsResponse,
  ResponseBodyError,
} from 'oauth4webapi';
import { reasonOf } from '@tranche/runtime';

/** SASL OAUTHBEARER (RFC 7628) with a token of the client credentials grant (RFC 6749, section 4.4). */
export interface OAuthBearer {
  mechanism: 'oauthbearer';
  /** The scheme must be https, or http for this machine. */
  tokenEndpointUrl: string | URL;
  clientId: string;
  clientSecret: string;
  scope?: string;
}

/** No token could be obtained, or the broker refused it. */
class OAuthBearerError extends kafkajs.KafkaJSNonRetriableError {
  override readonly name = 'OAuthBearerError';
}

const TIMEOUT_MS = 5_000;
/** Fraction of the lifetime after which a token is renewed, so that the broker never sees an expired one. */
const MARGIN = 0.8;
const LIFETIME_UNTOLD_SECONDS = 60;

/** kafkajs' own mechanism never reads the broker's answer, so a refused token and the reason would go unnoticed. */
export function oauthBearerMechanism(settings: OAuthBearer): Mechanism {
  const tokenOfNow = keptToken(settings);
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }) => ({
      authenticate: async () => {
        const message = Buffer.from(`n,,\x01auth=Bearer ${await tokenOfNow()}\x01\x01`);
        await saslAuthenticate({ request: { encode: () => withLength(message) }, response: RESPONSE });
      },
    }),
  };
}

/** The answer is empty, or says what is wrong with the token: `{"status":"invalid_token"}` (RFC 7628, section 3.2.2). */
const RESPONSE = {
  decode: (bytes: Buffer) => bytes.subarray(4),
  parse: (failure: Buffer) => {
    if (failure.length > 0) throw new OAuthBearerError(`the broker says ${failure.toString()}`);
  },
};

function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(message.length);
  return Buffer.concat([length, message]);
}

/** All connections share one token and one request for it. */
function keptToken(settings: OAuthBearer): () => Promise<string> {
  let known: { value: string; untilMs: number } | undefined;
  let asking: Promise<string> | undefined;
  const ask = async () => {
    const { value, seconds } = await askForToken(settings);
    known = { value, untilMs: performance.now() + seconds * 1_000 * MARGIN };
    return value;
  };
  return () => {
    if (known !== undefined && performance.now() < known.untilMs) return Promise.resolve(known.value);
    asking ??= ask().finally(() => (asking = undefined));
    return asking;
  };
}

async function askForToken({ tokenEndpointUrl, clientId, clientSecret, scope }: OAuthBearer) {
  const endpoint = new URL(tokenEndpointUrl);
  const server = { issuer: endpoint.origin, token_endpoint: endpoint.href };
  const client = { client_id: clientId };
  try {
    const response = await clientCredentialsGrantRequest(
      server,
      client,
      ClientSecretBasic(clientSecret),
      new URLSearchParams(scope === undefined ? {} : { scope }),
      { signal: AbortSignal.timeout(TIMEOUT_MS), [allowInsecureRequests]: endpoint.protocol === 'http:' },
    );
    const token = await processClientCredentialsResponse(server, client, response);
    return { value: token.access_token, seconds: token.expires_in ?? LIFETIME_UNTOLD_SECONDS };
  } catch (error) {
    const said = error instanceof ResponseBodyError ? `${error.status} ${error.error}` : reasonOf(error);
    throw new OAuthBearerError(`no token from ${endpoint.origin} (KAFKA_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL): ${said}`);
  }
}
