import { createServer } from 'node:http';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterIdOf, createKafkaClient, waitForKafka } from '@tranche/kafka';
import { createLogger, RedisClient } from '@tranche/service-kit';
import { waitFor } from '@tranche/testing';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { authority, certificate } from './test/certificates.mjs';
import { startKafka } from './kafka.mjs';
import { freePorts } from './ports.mjs';
import { holdProcesses } from './processes.mjs';
import { redisArguments, redisCommand } from './redis.mjs';

const AUDIENCE = 'kafka';
const SECRET = 'of-the-gateway';
const folder = mkdtempSync(join(tmpdir(), 'tranche-transport-'));
const held = holdProcesses();
const lines = [];
const log = createLogger({ name: 'test', destination: { write: (line) => void lines.push(JSON.parse(line)) } });
const said = (text) => lines.some(({ message, error }) => `${message} ${error}`.includes(text));

const ours = authority(folder, 'ours');
const foreign = authority(folder, 'foreign');
const sound = certificate(folder, 'sound', { by: ours });
const expired = certificate(folder, 'expired', { by: ours, days: -1 });
const elsewhere = certificate(folder, 'elsewhere', { by: ours, hosts: ['DNS:kafka.elsewhere.example'] });
const strangers = certificate(folder, 'strangers', { by: foreign });
const gateway = certificate(folder, 'gateway', { by: ours });

afterAll(async () => {
  await held.close();
  rmSync(folder, { recursive: true });
});

/** Rejects with the client's error if it cannot use Kafka. */
function useKafka(port, settings) {
  return usedBy(createKafkaClient({ brokers: [`localhost:${port}`], clientId: 'test', ...settings }, log));
}

async function usedBy(client) {
  const signal = AbortSignal.timeout(30_000);
  const first = lines.length;
  const stop = new AbortController();
  const answered = waitForKafka(client, { log, signal: AbortSignal.any([signal, stop.signal]) });
  const refused = waitFor(() => lines.slice(first).find(({ message }) => message.startsWith('Kafka does not answer')), {
    what: 'an answer or a refusal',
  }).then(({ message }) => {
    stop.abort();
    throw new Error(message);
  });
  answered.catch(() => undefined);
  refused.catch(() => undefined);
  await Promise.race([answered, refused]);
  return clusterIdOf(client);
}

describe('Kafka over TLS', () => {
  const LISTENERS = { MUTUAL: sound, EXPIRED: expired, ELSEWHERE: elsewhere, STRANGERS: strangers, TOKENS: sound };
  const ports = {};
  let issuer, endpoint;

  beforeAll(async () => {
    issuer = await startIssuer();
    endpoint = `http://127.0.0.1:${issuer.port}/token`;
    const [plain, controller, ...free] = await freePorts(2 + Object.keys(LISTENERS).length);
    Object.keys(LISTENERS).forEach((name, at) => (ports[name] = free[at]));
    const named = (address) => Object.entries(ports).map(([name, port]) => `,${name}://${address}:${port}`).join(''); // prettier-ignore
    const ofListeners = Object.entries(LISTENERS).flatMap(([name, { pair }]) => {
      const prefix = `listener.name.${name.toLowerCase()}`;
      return Object.entries({
        'ssl.keystore.type': 'PEM',
        'ssl.keystore.location': pair,
        'ssl.truststore.type': 'PEM',
        'ssl.truststore.location': ours.cert,
        'ssl.client.auth': name === 'MUTUAL' ? 'required' : 'none',
      }).map(([key, value]) => [`${prefix}.${key}`, value]);
    });
    await startKafka({
      ...{ held, log: () => undefined, port: plain, controllerPort: controller },
      javaOptions: [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=http://127.0.0.1:${issuer.port}/jwks`],
      settings: {
        listeners: `PLAINTEXT://127.0.0.1:${plain},CONTROLLER://127.0.0.1:${controller}${named('127.0.0.1')}`,
        'advertised.listeners': `PLAINTEXT://127.0.0.1:${plain}${named('localhost')}`,
        'listener.security.protocol.map':
          'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,MUTUAL:SSL,EXPIRED:SSL,ELSEWHERE:SSL,STRANGERS:SSL,TOKENS:SASL_SSL',
        ...Object.fromEntries(ofListeners),
        'listener.name.tokens.sasl.enabled.mechanisms': 'OAUTHBEARER',
        'listener.name.tokens.oauthbearer.sasl.jaas.config':
          'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;',
        'listener.name.tokens.oauthbearer.sasl.server.callback.handler.class':
          'org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler',
        // The default of Kafka 4.1.1 checks only form and expiry.
        'sasl.oauthbearer.jwt.validator.class': 'org.apache.kafka.common.security.oauthbearer.BrokerJwtValidator',
        'sasl.oauthbearer.jwks.endpoint.url': `http://127.0.0.1:${issuer.port}/jwks`,
        'sasl.oauthbearer.expected.audience': AUDIENCE,
      },
    });
  });
  afterAll(() => issuer?.close());

  const mutual = { caFile: ours.cert, certFile: gateway.cert, keyFile: gateway.key };
  const tokens = (clientSecret = SECRET, more = {}) => ({
    ssl: { caFile: ours.cert },
    sasl: { mechanism: 'oauthbearer', tokenEndpointUrl: endpoint, clientId: 'gateway', clientSecret, ...more },
  });

  it('takes our authority and our client certificate', async () => {
    expect(await useKafka(ports.MUTUAL, { ssl: mutual })).toMatch(/^T/);
  });

  it.each([
    ['a broker of a foreign authority', 'STRANGERS', mutual],
    ['our broker, where another authority is named', 'MUTUAL', { ...mutual, caFile: foreign.cert }],
    ['a certificate that has expired', 'EXPIRED', mutual],
    ['a certificate of another host', 'ELSEWHERE', mutual],
    ['an authority that Node.js does not know', 'MUTUAL', true],
  ])('refuses %s', async (_what, name, ssl) => {
    await expect(useKafka(ports[name], { ssl })).rejects.toThrow('its TLS certificate is not trusted here (KAFKA_SSL_CA_FILE'); // prettier-ignore
  });

  it.each([
    ['no client certificate', { caFile: ours.cert }],
    ['a client certificate of a foreign authority', { caFile: ours.cert, certFile: strangers.cert, keyFile: strangers.key }], // prettier-ignore
    ['a client certificate that has expired', { caFile: ours.cert, certFile: expired.cert, keyFile: expired.key }],
  ])('is refused with %s', async (_what, ssl) => {
    await expect(useKafka(ports.MUTUAL, { ssl })).rejects.toThrow(/does not answer/);
  });

  it('uses a certificate that was replaced for its next connection, and goes on with the old one while files are broken', async () => {
    const files = { caFile: ours.cert, certFile: join(folder, 'mounted.crt'), keyFile: join(folder, 'mounted.key') };
    const mount = ({ cert, key }) => {
      copyFileSync(cert, files.certFile);
      copyFileSync(key, files.keyFile);
    };
    mount(gateway);
    const client = createKafkaClient({ brokers: [`localhost:${ports.MUTUAL}`], clientId: 'test', ssl: files }, log);
    expect(await clusterIdOf(client)).toMatch(/^T/);
    writeFileSync(files.keyFile, 'half a k');
    expect(await clusterIdOf(client)).toMatch(/^T/);
    expect(said('can not be used')).toBe(true);
    mount(strangers);
    await expect(usedBy(client)).rejects.toThrow(/does not answer/);
    mount(gateway);
    expect(await clusterIdOf(client)).toMatch(/^T/);
  });

  it('takes a token of the client credentials grant, and asks for one only', async () => {
    issuer.asked = 0;
    const client = createKafkaClient({ brokers: [`localhost:${ports.TOKENS}`], clientId: 'test', ...tokens() }, log);
    expect(await clusterIdOf(client)).toMatch(/^T/);
    expect(await clusterIdOf(client)).toMatch(/^T/);
    expect(issuer.asked).toBe(1);
  });

  it('says that the endpoint gives no token, and never the secret', async () => {
    const refused = useKafka(ports.TOKENS, tokens('wrong-secret'));
    await expect(refused).rejects.toThrow(/KAFKA_SASL_OAUTHBEARER_\*.*no token from .*: 401 invalid_client/);
    expect(JSON.stringify(lines)).not.toContain('wrong-secret');
  });

  it.each([
    ['of another issuer’s key', 'forged'],
    ['for another audience', 'audience'],
    ['that has expired', 'expired'],
  ])('is refused with a token %s', async (_what, scope) => {
    await expect(useKafka(ports.TOKENS, tokens(SECRET, { scope }))).rejects.toThrow(
      'the broker says {"status":"invalid_token"}',
    );
  });
});

describe('Redis over TLS', () => {
  const ports = {};
  beforeAll(async () => {
    const command = await redisCommand({ held, log: () => undefined });
    const users = join(folder, 'users.acl');
    writeFileSync(users, 'user default off\nuser gateway on >of-the-gateway ~tranche:* +@all\n');
    for (const [name, { cert, key }] of Object.entries({ sound, expired, elsewhere, strangers })) {
      const [port] = await freePorts(1);
      const tls = { 'tls-port': port, 'tls-cert-file': cert, 'tls-key-file': key, 'tls-ca-cert-file': ours.cert, 'tls-auth-clients': 'no' }; // prettier-ignore
      const args = Object.entries({ ...tls, aclfile: users }).flatMap(([setting, value]) => [`--${setting}`, String(value)]); // prettier-ignore
      const lastLines = [];
      const onLine = (line) => lastLines.push(line);
      held.start(command, [...redisArguments({ port: 0, folder: held.folder('tranche-redis-') }), ...args], { onLine, disposable: true }); // prettier-ignore
      ports[name] = port;
    }
  });

  function redis(name, { user = 'gateway:of-the-gateway', caFile = ours.cert } = {}) {
    const url = `rediss://${user}@localhost:${ports[name]}`;
    return new RedisClient({
      url,
      name: `tls-${name}-${Math.random()}`,
      log,
      maxDelayMs: 50,
      ...(caFile && { caFile }),
    });
  }

  it('takes our authority, and the user only what its ACL allows', async () => {
    const client = redis('sound');
    await waitFor(() => client.isReady, { what: 'the connection' });
    await client.set('tranche:a', '1');
    expect(await client.get('tranche:a')).toBe('1');
    await expect(client.get('elsewhere:a')).rejects.toThrow('NOPERM');
    await client.close();
  });

  it.each([
    ['a server of a foreign authority', 'strangers', {}, 'unable to verify the first certificate'],
    ['an authority that Node.js does not know', 'sound', { caFile: null }, 'certificate'],
    ['a certificate that has expired', 'expired', {}, 'certificate has expired'],
    ['a certificate of another host', 'elsewhere', {}, "does not match certificate's altnames"],
    ['a wrong password', 'sound', { user: 'gateway:wrong' }, 'WRONGPASS'],
  ])('says that it can not use %s', async (_what, name, options, reason) => {
    const first = lines.length;
    const client = redis(name, options);
    const isSaid = () => lines.slice(first).some(({ message }) => message.includes('cannot be reached') && message.includes(reason)); // prettier-ignore
    await waitFor(isSaid, { what: reason });
    expect(client.isReady).toBe(false);
    await client.close();
  });
});

/** Starts an issuer whose tokens depend on the requested scope, so that a test can get an invalid one. */
async function startIssuer() {
  const key = await generateKeyPair('RS256');
  const otherKey = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(key.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const issuer = { asked: 0 };
  const token = (scope) =>
    new SignJWT({ scope: 'kafka' })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setSubject('gateway')
      .setIssuer('test')
      .setAudience(scope === 'audience' ? 'another' : AUDIENCE)
      .setIssuedAt()
      .setExpirationTime(scope === 'expired' ? '-1 min' : '5 min')
      .sign(scope === 'forged' ? otherKey.privateKey : key.privateKey);
  const answer = (response, status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const server = createServer(async (request, response) => {
    if (request.url === '/jwks') return answer(response, 200, { keys: [jwk] });
    const body = new URLSearchParams((await request.toArray()).join(''));
    const credentials = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64').toString();
    // Both are form-encoded first (RFC 6749, section 2.3.1).
    if (decodeURIComponent(credentials) !== `gateway:${SECRET}`)
      return answer(response, 401, { error: 'invalid_client' });
    issuer.asked++;
    const access_token = await token(body.get('scope'));
    return answer(response, 200, { access_token, token_type: 'Bearer', expires_in: 300 });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return Object.assign(issuer, { port: server.address().port, close: () => server.close() });
}
