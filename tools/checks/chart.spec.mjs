import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { CHART_SERVICES, rowsOf } from './chart.mjs';

const CHART = 'deploy/helm/tranche';
const places = JSON.parse(readFileSync(`${CHART}/files/places.json`, 'utf8'));
const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8'));
const testsOf = (name) => parse(readFileSync(`${CHART}/tests/${name}_test.yaml`, 'utf8')).tests;
const shipped = parse(readFileSync(`${CHART}/values.yaml`, 'utf8'));

/** Like Helm: maps are merged, null removes, lists are replaced. */
function merged(one, other) {
  const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap(one) || !isMap(other)) return other;
  const all = {
    ...one,
    ...Object.fromEntries(Object.entries(other).map(([key, value]) => [key, merged(one[key], value)])),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);

function faultsOf(values) {
  validate(merged(shipped, values));
  return (validate.errors ?? []).map(
    ({ instancePath, params }) => `${instancePath}/${params.additionalProperty ?? params.propertyName ?? ''}`,
  );
}

describe('the schema of the chart’s values', () => {
  it.each(testsOf('usual-values').map((test) => [test.it, test.set]))('takes %s', (_, values) =>
    expect(faultsOf(values)).toEqual([]),
  );

  it.each(
    testsOf('refused-values')
      .filter((test) => test.it.startsWith('a misspelt'))
      .map((test) => [test.it, test.set, test.asserts[0].failedTemplate.errorPattern]),
  )('refuses %s, and names it', (_, values, name) =>
    expect(faultsOf(values)).toContainEqual(expect.stringMatching(`/${name}$`)),
  );

  it.each(Object.keys(CHART_SERVICES))('lets %s have every value of all services for itself', (service) => {
    expect(Object.keys(schema.properties.services.properties[service].properties)).toEqual(
      expect.arrayContaining(Object.keys(schema.definitions)),
    );
    expect(Object.keys(shipped)).toEqual(expect.arrayContaining(Object.keys(schema.definitions)));
  });

  it('describes every value, so that the README of the chart does', () => {
    const { services, global: _, ...top } = schema.properties;
    const all = [top, schema.definitions, ...Object.values(services.properties).map(({ properties }) => properties)];
    const rows = all.flatMap((properties) => rowsOf(properties));
    expect(rows.filter(([, { description, $ref }]) => !description && !$ref).map(([path]) => path)).toEqual([]);
  });
});

it.each(['', ...Object.keys(CHART_SERVICES).map((service) => `services.${service}.`)])(
  'what stands wrongly in %j passes the schema, so that the chart can say where it belongs',
  (path) => {
    const wrong = Object.entries(places).filter(([name, paths]) => !paths.includes(path + name));
    const values = Object.fromEntries(wrong.map(([name]) => [name, 'x']));
    const [, service] = path.split('.');
    expect(wrong.length).toBeGreaterThan(20);
    expect(faultsOf(service ? { services: { [service]: values } } : values)).toEqual([]);
  },
);

it.each([
  ['PAYMENT_URL', ['services.gateway.settings.PAYMENT_URL', 'services.gateway.secretFiles.PAYMENT_URL']],
  ['replicas', Object.keys(CHART_SERVICES).map((service) => `services.${service}.replicas`)],
  ['replicaCount', Object.keys(CHART_SERVICES).map((service) => `services.${service}.replicas`)],
  ['image', ['image']],
  ['CLOCK_OFFSET_MS', undefined],
])('%s belongs there and nowhere else', (name, paths) => expect(places[name]).toEqual(paths));

it('a secret has no place among the settings', () => {
  expect(places.REDIS_URL.filter((path) => path.includes('.settings.'))).toEqual([]);
  expect(places.REDIS_URL).toContain('services.gateway.secretFiles.REDIS_URL');
});

describe('the routes from outside', () => {
  const prefixOf = (path) => path.replace(/\/\{.*/, '');

  it.each(['ingest', 'cse'])('lead to every public path of %s, and to nothing else', (service) => {
    const { paths: described } = JSON.parse(readFileSync(`apps/${CHART_SERVICES[service]}/openapi.json`, 'utf8'));
    const paths = Object.keys(described)
      .filter((path) => !/^\/(health|metrics)/.test(path))
      .map(prefixOf);
    expect(shipped.services[service].routes.map(({ path }) => path).sort()).toEqual([...new Set(paths)].sort());
  });

  it('lead to no other service', () => {
    const { gateway, auth } = schema.properties.services.properties;
    for (const { properties } of [gateway, auth])
      expect(Object.keys(properties).filter((key) => ['ingress', 'httpRoute', 'routes'].includes(key))).toEqual([]);
  });
});

describe('helm test', () => {
  const script = readFileSync(`${CHART}/files/ask-services.mjs`, 'utf8');
  const answers = { '/health/ready': [200, '{}'], '/metrics': [200, 'tranche_build_info 1'] };
  let given;
  const server = createServer(({ url }, answer) => {
    const [status, body] = given[url];
    answer.writeHead(status).end(body);
  });
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => server.close());

  const ask = async (answered, ...further) => {
    given = answered;
    const address = `http://127.0.0.1:${server.address().port}`;
    const args = ['--input-type=module', '--eval', script, '0', address, ...further];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const lines = [];
    child.stdout.on('data', (text) => lines.push(text));
    child.stderr.on('data', (text) => lines.push(text));
    const [code] = await once(child, 'close');
    return { code, said: lines.join('') };
  };

  it('passes if every service is ready and has its metrics', async () =>
    expect(await ask(answers)).toEqual({ code: 0, said: '1 services asked, 0 wrong answers\n' }));

  it('fails if one is not ready, and says what it answered', async () => {
    const { code, said } = await ask({ ...answers, '/health/ready': [503, '{"status":"error"}'] });
    expect(code).toBe(1);
    expect(said).toMatch(/\/health\/ready: 503 \{"status":"error"\}/);
  });

  it('fails if another program answers, or nothing does', async () => {
    const { code, said } = await ask({ ...answers, '/metrics': [200, 'up 1'] }, 'http://127.0.0.1:1');
    expect(code).toBe(1);
    expect(said).toMatch(/\/metrics: 200 up 1/);
    expect(said).toMatch(/http:\/\/127\.0\.0\.1:1\/health\/ready: \S/);
  });
});
