import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOPICS } from '@tranche/contracts';
import { describeConfig, KitConfig, loadConfig } from '@tranche/service-kit';
import { parse } from 'yaml';
import { AuthConfig } from '../../apps/auth-service/src/auth.config.js';
import { CheckoutConfig } from '../../apps/checkout-demo/src/checkout.config.js';
import { CseConfig } from '../../apps/cse-token-service/src/cse.config.js';
import { IngestConfig } from '../../apps/notification-ingest/src/ingest.config.js';
import { OperationsConfig } from '../../apps/operations/src/operations.config.js';
import { GatewayConfig } from '../../apps/payment-gateway/src/gateway.config.js';
import { readSettings, SETTINGS } from '../../apps/platform-simulator/src/simulator.config.js';
import { SERVICES } from '../infra/apps.mjs';

const PUBLISHED = '127.0.0.1:${PORT_PREFIX:-1}';
const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true });
const prometheus = parse(readFileSync('deploy/compose-prometheus.yml', 'utf8'));
const dotenv = Object.fromEntries(
  [...readFileSync('.env.example', 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
);

const described = (Class) => [...describeConfig(Class), ...describeConfig(KitConfig)];
const simulatorSettings = SETTINGS.map(({ name, default: fallback }) => ({ name, default: fallback, secret: false }));
const SETTINGS_OF = {
  'auth-service': described(AuthConfig),
  'checkout-demo': described(CheckoutConfig),
  'cse-token-service': described(CseConfig),
  'notification-ingest': described(IngestConfig),
  operations: described(OperationsConfig),
  'payment-gateway': described(GatewayConfig),
  'platform-simulator': simulatorSettings,
};
const APPS = Object.keys(SETTINGS_OF);
const CONFIGS = {
  'auth-service': AuthConfig,
  'checkout-demo': CheckoutConfig,
  'cse-token-service': CseConfig,
  'notification-ingest': IngestConfig,
  operations: OperationsConfig,
  'payment-gateway': GatewayConfig,
};

const defaultOf = (app, name) => SETTINGS_OF[app].find((setting) => setting.name === name)?.default;
const portsOf = (app) =>
  ['PORT', 'MANAGEMENT_PORT'].map((name) => defaultOf(app, name)).filter((port) => port !== undefined);
const service = (app) => compose.services[app] ?? fail(`${app} has no service`);
const fail = (message) => {
  throw new Error(message);
};

/** Fills in `${NAME:-default}` and `${NAME:?message}` from .env, as compose does. */
const filledIn = (text) =>
  text.replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name, operator, rest) =>
      dotenv[name] || (operator === '-' ? (rest ?? '') : fail(`${name} is not in .env.example`)),
  );

describe('docker-compose.yml', () => {
  it('has Kafka, Redis, PostgreSQL and a service for every app, and nothing else unless monitoring is asked for', () => {
    const inProfile = Object.entries(compose.services).filter(([, { profiles }]) => profiles);
    expect(inProfile).toEqual([['prometheus', expect.objectContaining({ profiles: ['monitoring'] })]]);
    const names = Object.keys(compose.services).filter((name) => name !== 'prometheus');
    expect(names.sort()).toEqual([...APPS, 'kafka', 'redis', 'postgres'].sort());
  });

  it('publishes no port that `npm run stack` takes', () => {
    const published = Object.values(compose.services).flatMap(({ ports }) => ports.map(filledIn));
    const taken = ['9092', '6379', '5432', ...APPS.flatMap(portsOf)];
    expect(published.filter((port) => taken.includes(port.split(':')[1]))).toEqual([]);
    expect(new Set(published.map((port) => port.split(':')[1])).size).toBe(published.length);
  });

  it('has Prometheus ask the management port of every service but the simulator, under the names that the alerts know', () => {
    const { rule_files: rules, scrape_configs: jobs } = prometheus;
    const asked = jobs.map(({ static_configs: [{ targets }] }) => targets).flat();
    const wanted = Object.keys(CONFIGS).map((app) => `${app}:${portsOf(app).at(-1)}`);
    expect(asked.sort()).toEqual(wanted.sort());
    const { groups } = parse(readFileSync('deploy/helm/tranche/alerts.yaml', 'utf8'));
    const { expr } = groups.flatMap((group) => group.rules).find(({ alert }) => alert === 'TrancheInstanceDown');
    const [, known] = /job=~"([^"]+)"/.exec(expr);
    const names = jobs.map(({ job_name: name }) => name).filter((name) => new RegExp(`^(?:${known})$`).test(name));
    expect(names).toHaveLength(wanted.length - 1);
    const mounted = compose.services.prometheus.volumes.map((volume) => volume.split(':')).filter(([from]) => from.startsWith('./')); // prettier-ignore
    expect(mounted.filter(([from]) => !existsSync(from))).toEqual([]);
    expect(mounted.map(([, to]) => to)).toEqual(['/etc/prometheus/prometheus.yml', ...rules]);
  });

  it.each(APPS)('%s: sets only variables that the code reads', (app) => {
    const known = SETTINGS_OF[app].flatMap(({ name, secret, fromFile }) =>
      secret || fromFile ? [name, `${name}_FILE`] : [name],
    );
    expect(Object.keys(service(app).environment).filter((name) => !known.includes(name))).toEqual([]);
  });

  it.each(APPS)('%s: publishes, on this machine only, and asks the ports of the code', (app) => {
    const ports = portsOf(app);
    expect(service(app).ports).toEqual(ports.map((port) => `${PUBLISHED}${port}:${port}`));
    expect(service(app).healthcheck.test.join(' ')).toContain(`http://127.0.0.1:${ports.at(-1)}/health/ready`);
    expect(service(app).environment).not.toHaveProperty('PORT');
    expect(service(app).environment).not.toHaveProperty('MANAGEMENT_PORT');
  });

  it.each(APPS)('%s: the tools know the same ports', (app) => {
    expect(Object.values(SERVICES[app]).map(String)).toEqual(portsOf(app));
  });

  it.each(APPS)('%s: runs its own main.js, read-only, without privileges', (app) => {
    expect(service(app).command).toEqual(['node', `apps/${app}/dist/service.js`]);
    expect(service(app)).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: ['/tmp'],
    });
  });

  it.each(APPS)('%s: holds no secret: these are files', (app) => {
    const secrets = SETTINGS_OF[app].filter(({ secret }) => secret).map(({ name }) => name);
    const { environment, secrets: mounted = [] } = service(app);
    for (const name of secrets) {
      const value = environment[name];
      if (value !== undefined) expect(new URL(value).password).toBe('');
    }
    const files = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'));
    expect(files.map((file) => file.replace('/run/secrets/', '')).sort()).toEqual([...mounted].sort());
    expect(mounted.filter((name) => !(name in compose.secrets))).toEqual([]);
  });

  it.each(APPS)('%s: reaches others by their name and the port that they listen on', (app) => {
    const listening = {
      kafka: ['9092'],
      redis: ['6379'],
      postgres: ['5432'],
      ...Object.fromEntries(APPS.map((name) => [name, portsOf(name)])),
    };
    const environment = Object.entries(service(app).environment).filter(
      ([name]) => name !== 'PUBLIC_URL' && name !== 'CSE_ORIGINS',
    );
    for (const [, value] of environment) {
      const [, host = '', port = ''] = /^(?:\w+:\/\/)?([a-z][\w-]*):(\d+)(?:\/|$)/.exec(value) ?? [];
      if (host) expect(listening[host]).toContain(port);
    }
  });

  it('gives the browser of checkout-demo addresses that are published, and lets its origin ask for keys', () => {
    const { CSE_KEYS_URL: keys, TOKENIZER_URL: tokenizer, PUBLIC_URL: page } = service('checkout-demo').environment;
    const published = ['cse-token-service', 'platform-simulator', 'checkout-demo'].map(
      (app) => `http://${PUBLISHED}${portsOf(app)[0]}`,
    );
    expect([keys, tokenizer, page].map((url) => new URL(filledIn(url)).origin)).toEqual(published.map(filledIn));
    expect(dotenv.CSE_ORIGINS).toBe(filledIn(page));
  });

  it('starts checkout-demo when the topics are there that it subscribes to', () => {
    expect(service('checkout-demo').depends_on).toMatchObject({ 'payment-gateway': { condition: 'service_healthy' } });
  });

  it('gives checkout-demo an API key of its merchant', () => {
    const merchants = JSON.parse(readFileSync(dotenv.MERCHANTS_FILE, 'utf8'));
    const { MERCHANT: merchant, API_KEY_ID: apiKeyId } = service('checkout-demo').environment;
    const shop = merchants.find((one) => one.merchant === filledIn(merchant));
    expect(shop.apiKeys.map(({ id }) => id)).toContain(filledIn(apiKeyId));
    expect(new URL(shop.pageUrl).origin).toBe(filledIn(service('checkout-demo').environment.PUBLIC_URL));
  });

  it('has the same topic prefix wherever topics are used', () => {
    const prefixes = APPS.filter((app) => SETTINGS_OF[app].some(({ name }) => name === 'KAFKA_TOPIC_PREFIX')).map(
      (app) => service(app).environment.KAFKA_TOPIC_PREFIX,
    );
    expect(new Set(prefixes)).toEqual(new Set(['${KAFKA_TOPIC_PREFIX:-}']));
    expect(defaultOf('payment-gateway', 'KAFKA_TOPIC_PREFIX')).toBe('');
  });

  it('gives every app that uses Redis a database of its own', () => {
    const urls = APPS.filter((app) => SETTINGS_OF[app].some(({ name }) => name === 'REDIS_URL')).map(
      (app) => service(app).environment.REDIS_URL,
    );
    expect(urls.map((url) => new URL(url).pathname).sort()).toEqual(['/0', '/1', '/2', '/3', '/4']);
    expect(compose.services.redis?.command).toEqual(
      expect.arrayContaining(['--appendonly', 'yes', '--maxmemory-policy', 'noeviction']),
    );
  });

  it('has a broker that takes the largest record of the topics and creates none by itself', () => {
    const { KAFKA_MESSAGE_MAX_BYTES: maxBytes, KAFKA_AUTO_CREATE_TOPICS_ENABLE: autoCreate } =
      compose.services.kafka?.environment ?? {};
    expect(Number(maxBytes)).toBeGreaterThanOrEqual(
      Math.max(...Object.values(TOPICS).map(({ maxMessageBytes }) => maxMessageBytes)),
    );
    expect(autoCreate).toBe('false');
  });

  it('runs the images that the tools run', () => {
    const docker = readFileSync('tools/infra/docker.mjs', 'utf8') + readFileSync('tools/infra/kafka.mjs', 'utf8');
    const kafkaVersion = filledIn(compose.services.kafka.image).replace('apache/kafka:', '');
    expect(docker).toContain(`USUAL_KAFKA_VERSION = '${kafkaVersion}'`);
    expect(docker).toContain(`'${filledIn(compose.services.redis.image)}'`);
    expect(docker).toContain(`'${filledIn(compose.services.postgres.image)}'`);
  });

  it('takes other images, by digest for example', () => {
    const { kafka, redis, postgres, prometheus: monitoring, ...apps } = compose.services;
    const images = [kafka, redis, postgres, monitoring].map(({ image }) => /^\$\{(\w+):-/.exec(image)?.[1]);
    expect(images).toEqual(['KAFKA_IMAGE', 'REDIS_IMAGE', 'POSTGRES_IMAGE', 'PROMETHEUS_IMAGE']);
    for (const { build } of Object.values(apps))
      expect(build.args).toEqual({ NODE_IMAGE: '${NODE_IMAGE:-node:24-slim}' });
  });

  it('.env.example names what compose asks for, and no more', () => {
    const asked = [...readFileSync('docker-compose.yml', 'utf8').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    expect(new Set(Object.keys(dotenv))).toEqual(new Set(asked));
  });
});

describe('the services start with what compose and .env.example give them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-compose-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const contents = {
    'token-encryption-key': Buffer.alloc(32, 7).toString('base64'),
    'auth-service-key': 'a-service-key',
    'desk-password': 'a-desk-password',
  };
  /** The container reads each secret from a file of its own, so the test writes them too. */
  const environmentOf = (app) =>
    Object.fromEntries(
      Object.entries(service(app).environment).map(([name, value]) => {
        const [, secret] = /^\/run\/secrets\/(.+)$/.exec(value) ?? [];
        if (secret === undefined) return [name, filledIn(value)];
        const content = contents[secret];
        if (content === undefined) return [name, filledIn(compose.secrets[secret]?.file ?? '')];
        writeFileSync(join(folder, secret), content);
        return [name, join(folder, secret)];
      }),
    );

  it.each(Object.keys(CONFIGS))('%s', (app) => {
    expect(() => loadConfig(CONFIGS[app], environmentOf(app))).not.toThrow();
    expect(() => loadConfig(KitConfig, environmentOf(app))).not.toThrow();
  });

  it('platform-simulator', () => {
    expect(readSettings(environmentOf('platform-simulator')).publicUrl).toBe('http://127.0.0.1:14010');
  });

  it('the merchants differ from the demo merchants in the address of the webhook and the prefix of ports alone', () => {
    const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
    const text = readFileSync('config/merchants.demo.json', 'utf8');
    const demo = JSON.parse(text.replaceAll('http://127.0.0.1:', `http://${filledIn(PUBLISHED)}`));
    const port = defaultOf('notification-ingest', 'PORT');
    const notificationUrl = `http://notification-ingest:${port}/notifications`;
    expect(read(dotenv.MERCHANTS_FILE ?? '')).toEqual(demo.map((merchant) => ({ ...merchant, notificationUrl })));
  });
});

describe('deploy/compose-secrets.sh', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-compose-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const made = (file) => readFileSync(join(folder, file), 'utf8');
  const run = (...args) => execFileSync('sh', [join(folder, 'deploy/compose-secrets.sh'), ...args], { encoding: 'utf8', stdio: 'pipe' }); // prettier-ignore
  for (const file of ['deploy/compose-secrets.sh', '.env.example', 'config'])
    cpSync(file, join(folder, file), { recursive: true });

  it('leaves no half of an .env, which the next run would keep', () => {
    const example = join(folder, '.env.example');
    renameSync(example, `${example}.away`);
    expect(() => run('3')).toThrow();
    renameSync(`${example}.away`, example);
    expect(existsSync(join(folder, '.env'))).toBe(false);
  });

  it('makes every file that .env names, and says where the shop is', () => {
    const said = run('3');
    const names = Object.values(compose.secrets).map(({ file }) => /^\$\{(\w+)/.exec(file)?.[1]);
    const files = names.map((name) => new RegExp(`^${name}=(.+)$`, 'm').exec(made('.env'))?.[1] ?? name);
    expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
    expect(said).toContain('http://127.0.0.1:34050');
    expect(said).toContain(made('.infra/desk-password'));
  });

  it('makes secrets that the services take', () => {
    expect(Buffer.from(made('.infra/token-encryption-key'), 'base64')).toHaveLength(32);
    expect(made('.infra/desk-password')).toMatch(/^[a-z0-9]{8,12}$/);
    const [{ key }] = JSON.parse(readFileSync('config/accounts.demo.json', 'utf8')).callers;
    expect(made('.infra/auth-service-key')).toBe(key);
  });

  it('moves every address that a browser sees', () => {
    expect(made('.env')).toMatch(/^PORT_PREFIX=3$/m);
    expect(made('.env')).toMatch(/^CSE_ORIGINS=http:\/\/127\.0\.0\.1:34050$/m);
    const merchants = readFileSync('config/merchants.compose.json', 'utf8');
    expect(made('.infra/merchants.compose.json')).toBe(merchants.replaceAll('127.0.0.1:14', '127.0.0.1:34'));
  });

  it('keeps what is there, and refuses a prefix that gives no port', () => {
    const before = ['.env', '.infra/token-encryption-key'].map(made);
    run();
    expect(['.env', '.infra/token-encryption-key'].map(made)).toEqual(before);
    expect(() => run('6')).toThrow('PORT_PREFIX must be 1 to 5, not 6');
  });
});

it('.env.example names the levels of logging that a service takes', () => {
  const { doc } = describeConfig(KitConfig).find(({ name }) => name === 'LOG_LEVEL');
  const [, levels] = /^# (.*)\nLOG_LEVEL=/m.exec(readFileSync('.env.example', 'utf8'));
  expect(doc).toContain(`: ${levels}`);
});

it('the simulator listens to its machine alone, but in a container', () => {
  expect(defaultOf('platform-simulator', 'HOST')).toBe('127.0.0.1');
  expect(compose.services['platform-simulator'].environment.HOST).toBe('0.0.0.0');
  expect(readFileSync('Dockerfile', 'utf8')).toMatch(/^ENV .*\bHOST=0\.0\.0\.0$/m);
});

describe('the images', () => {
  const stages = readFileSync('Dockerfile', 'utf8')
    .split(/^(?=FROM )/m)
    .slice(1)
    .map((text) => ({ name: /^FROM \S+ AS (\S+)/.exec(text)?.[1], text }));
  const stage = (name) => stages.find((one) => one.name === name)?.text;

  it('what is built without a target has neither simulator nor shop, and no npm', () => {
    expect(stages.at(-1).name).toBe('service');
    expect(stage('service')).toMatch(/^FROM base /);
    const sources = [...stage('service').matchAll(/--from=(\S+)/g)].map(([, from]) => from);
    expect(new Set(sources)).toEqual(new Set(['build-service']));
    for (const app of ['platform-simulator', 'checkout-demo']) expect(stage('build-service')).toContain(`apps/${app}`);
    for (const tool of ['/usr/local/lib/node_modules', '/usr/local/bin/npm', '/usr/local/bin/npx'])
      expect(stage('base')).toContain(tool);
  });

  it('have the command `tranche`, as the bundle of apps/cli', () => {
    expect(stage('base')).toContain('exec node /app/apps/cli/dist/service.js "$@"');
    expect(stage('base')).toContain('> /usr/local/bin/tranche && chmod 755 /usr/local/bin/tranche');
    expect(stage('build-service')).not.toContain('apps/cli');
  });

  it('stand on a base image that is an argument, so that it can be one by digest', () => {
    const text = readFileSync('Dockerfile', 'utf8');
    expect(text).toMatch(/^ARG NODE_IMAGE=node:24-slim$/m);
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    const own = stages.map(({ name }) => name);
    expect(new Set(bases.filter((base) => !own.includes(base)))).toEqual(new Set(['${NODE_IMAGE}']));
  });

  it('Compose, which starts all apps, builds the one of the demo', () => {
    for (const app of Object.values(compose.services).filter(({ build }) => build))
      expect(app.build.target).toBe('demo');
    expect(stage('demo')).toMatch(/^FROM base /);
  });
});
