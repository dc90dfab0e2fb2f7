import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { COMMAND_TOPICS } from '@tranche/contracts';
import { describeConfig, KafkaConfig, KitConfig } from '@tranche/service-kit';
import { AuthConfig } from '../../apps/auth-service/src/auth.config.js';
import { CseConfig } from '../../apps/cse-token-service/src/cse.config.js';
import { IngestConfig } from '../../apps/notification-ingest/src/ingest.config.js';
import { OperationsConfig } from '../../apps/operations/src/operations.config.js';
import { GatewayConfig } from '../../apps/payment-gateway/src/gateway.config.js';
import { CHART_SERVICES } from './chart.mjs';
import { headingAnchors } from './heading-anchors.mjs';
import {
  alerts,
  countersOf,
  dashboards,
  metricsDocument,
  metricsOf,
  ofPanels,
  queries,
  registeredMetrics,
} from './metrics.mjs';

const CHART = 'deploy/helm/tranche';
const CONFIGS = {
  'payment-gateway': GatewayConfig,
  'notification-ingest': IngestConfig,
  'auth-service': AuthConfig,
  'cse-token-service': CseConfig,
  operations: OperationsConfig,
};
const values = parse(readFileSync(`${CHART}/values.yaml`, 'utf8'));
const settingsOf = (app) => [
  ...describeConfig(CONFIGS[app]),
  ...describeConfig(KafkaConfig),
  ...describeConfig(KitConfig),
];
const registered = registeredMetrics();
const tests = parse(readFileSync('deploy/alerts.test.yaml', 'utf8')).tests;

const labelsOf = (expr) => ({
  grouped: [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list.split(',').map((label) => label.trim())),
  matched: [...expr.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label),
});

/** Reports labels in queries that the metric does not have, and legends with a label that the query drops. */
function labelFaults(expr, legend = '') {
  const { grouped, matched } = labelsOf(expr);
  const everywhere = ['le', 'namespace', 'instance', 'job', 'service'];
  const unknown = [...grouped, ...matched].filter(
    (label) =>
      !everywhere.includes(label) && !metricsOf(expr).every((metric) => registered.get(metric)?.labels.includes(label)),
  );
  const inLegend = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
  return [
    ...unknown.map((label) => `${metricsOf(expr).join()} has no label ${label}`),
    ...inLegend
      .filter((label) => !grouped.includes(label))
      .map((label) => `the legend names ${label}, by which nothing is grouped`),
  ];
}

describe.each(Object.entries(CHART_SERVICES))('the chart, %s', (name, app) => {
  const service = values.services[name];
  const known = settingsOf(app);

  it('sets only settings that its service has, and no secret in clear', () => {
    const plain = known.filter(({ secret }) => !secret).map((setting) => setting.name);
    expect(plain).toEqual(expect.arrayContaining(Object.keys({ ...values.settings, ...service.settings })));
    const inFiles = known
      .filter((setting) => setting.secret || setting.name.endsWith('_FILE'))
      .map((setting) => setting.name);
    expect(inFiles).toEqual(expect.arrayContaining(Object.keys(service.secretFiles)));
  });

  it('gives every setting that its service demands', () => {
    const given = Object.keys({ ...values.settings, ...service.settings, ...service.secretFiles });
    const demanded = known.filter(({ required }) => required).map((setting) => setting.name);
    expect(given).toEqual(expect.arrayContaining(demanded));
  });
});

it('the gateway scales by what waits on the command topic of every rail', () => {
  const names = Object.values(COMMAND_TOPICS).map(({ name }) => name);
  expect([...values.services.gateway.autoscaling.topics].sort()).toEqual(names.sort());
});

describe('the schema of the values', () => {
  const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8'));
  const validate = new Ajv({ strict: false }).compile(schema);
  const taken = (change) => {
    const changed = structuredClone(values);
    change(changed);
    return validate(changed);
  };

  it.each([
    ['the values as shipped', () => undefined, true],
    ['what spans say of their sender', ({ settings }) => (settings.OTEL_RESOURCE_ATTRIBUTES = 'a=b'), true],
    ['services that make topics, and take what a demo may do', ({ settings }) => (settings.TOPICS = 'create'), false],
    ['services that do not say it', ({ settings }) => delete settings.TOPICS, false],
    ['that of one service', ({ services }) => (services.ingest.settings.TOPICS = 'create'), false],
    [
      'networks for one way out',
      ({ networkPolicy: { egress } }) => (egress.redis.to = [{ ipBlock: { cidr: '10.0.0.0/8' } }]),
      true,
    ],
    ['a way out without ports', ({ networkPolicy: { egress } }) => (egress.redis.ports = []), false],
    ['management ports for anybody', ({ networkPolicy }) => (networkPolicy.managementFrom = []), false],
    ['the same, unsaid', ({ networkPolicy }) => delete networkPolicy.managementFrom, false],
    ['tokens for anybody who reaches the port', ({ services }) => (services.auth.callers = []), false],
    ['the same, unsaid', ({ services }) => delete services.auth.callers, false],
    ['pods without network policies, unsaid', ({ networkPolicy }) => delete networkPolicy.enabled, false],
    ['pods without network policies', ({ networkPolicy }) => (networkPolicy.enabled = false), true],
    ['a relative address of the runbook', ({ prometheusRule }) => (prometheusRule.runbook = 'docs/runbook.md'), false],
    ['a full one', ({ prometheusRule }) => (prometheusRule.runbook = 'https://docs.example.com/runbook.html'), true],
  ])('%s', (_, change, isTaken) => expect(taken(change)).toBe(isTaken));
});

describe('alerts', () => {
  const anchors = headingAnchors(readFileSync('docs/operate/runbook.md', 'utf8'));

  it.each(alerts.map(({ alert, annotations }) => [alert, annotations.runbook_url]))(
    '%s leads to its page',
    (_, url) => {
      const [file, anchor] = url.split('#');
      expect(file).toBe('docs/operate/runbook.md');
      expect([...anchors]).toContain(anchor);
    },
  );

  it.each(alerts.map(({ alert, annotations }) => [alert, annotations.runbook_url.split('#')[1]]))(
    '%s is named by the chapter that it leads to',
    (alert, wanted) => {
      const chapters = readFileSync('docs/operate/runbook.md', 'utf8').split(/^(?=##+ )/m);
      const chapter = chapters.find((text) => [...headingAnchors(text.split('\n', 1)[0])].includes(wanted));
      expect(chapter).toMatch(new RegExp(`^Alerts?: .*\`${alert}\``, 'm'));
    },
  );

  it.each(alerts.map(({ alert }) => [alert]))(
    '%s has a test in which it fires, and one in which it does not',
    (alert) => {
      const expected = tests
        .flatMap(({ alert_rule_test }) => alert_rule_test)
        .filter(({ alertname }) => alertname === alert)
        .map(({ exp_alerts }) => exp_alerts.length);
      expect([...new Set(expected)].sort()).toEqual([0, 1]);
    },
  );

  it.each(alerts.map(({ alert }) => [alert]))(
    '%s fires though its series is absent before the first event',
    (alert) => {
      const { input_series: series } = tests.find(({ name }) => name === `${alert} fires`);
      expect(series[0].values).toMatch(/^_/);
    },
  );

  const shown = [...new Set(ofPanels.flatMap(([, expr]) => metricsOf(expr)))];
  it.each(alerts.map(({ alert, expr }) => [alert, expr]))('%s asks for what a panel shows', (_, expr) =>
    expect(shown).toEqual(expect.arrayContaining(metricsOf(expr))),
  );

  const counted = alerts.filter(({ expr }) => expr.includes('increase('));
  it.each(counted.map(({ alert, expr }) => [alert, expr]))(
    '%s counts the first value of a series too, which `increase` does not see',
    (_, expr) => {
      const spaced = expr.replace(/\s+/g, ' ');
      const [, window] = /increase\([^[]*\[(\w+)\]/.exec(expr);
      for (const counter of countersOf(expr))
        expect(spaced).toContain(
          `( (${counter} unless last_over_time(${counter}[1h] offset ${window})) > 0 or increase(${counter}[${window}]) )`,
        );
    },
  );
});

it('a Redis that is away pages where its service needs it, and makes a ticket where the service stays ready', () => {
  const modules = readdirSync('apps', { recursive: true })
    .filter((file) => /\/src\/.*\.module\.ts$/.test(file))
    .map((file) => readFileSync(`apps/${file}`, 'utf8'))
    .filter((text) => text.includes('RedisModule.forRoot'));
  const namesOf = (texts) => texts.map((text) => /\bname: '(\w+)'/.exec(text)[1]).sort();
  const isNeeded = (text) => text.includes('isRequired: true');
  const withoutNeed = namesOf(modules.filter((text) => !isNeeded(text)));
  const matched = (name) => alerts.find(({ alert }) => alert === name);
  const list = (name) => /redis(!~|=~)"([^"]*)"/.exec(matched(name).expr)?.slice(1);
  expect(namesOf(modules.filter(isNeeded))).toContain('index');
  expect(matched('TrancheRedisAway').labels.severity).toBe('page');
  expect(list('TrancheRedisAway')).toEqual(['!~', expect.any(String)]);
  expect(list('TrancheRedisAway')[1].split('|').sort()).toEqual(withoutNeed);
  expect(matched('TrancheCountersRedisAway').labels.severity).toBe('ticket');
  expect(list('TrancheCountersRedisAway')).toEqual(['=~', list('TrancheRedisAway')[1]]);
});

describe('every metric is one of the code, with the labels that it has there', () => {
  it.each(queries)('of %s', (_, expr, legend) => {
    const metrics = metricsOf(expr);
    expect(metrics.length + Number(/\bup\b/.test(expr))).toBeGreaterThan(0);
    expect(metrics.filter((metric) => !registered.has(metric))).toEqual([]);
    if (metrics.length > 0) expect(labelFaults(expr, legend)).toEqual([]);
  });

  it('and a label that is not there is found', () => {
    const has = (expr, legend) => labelFaults(expr, legend);
    expect(has('sum by (became) (tranche_doubts)')).toEqual(['tranche_doubts has no label became']);
    expect(has('sum(rate(ingest_notifications_total{came_to="x"}[5m]))')).toEqual([
      'ingest_notifications_total has no label came_to',
    ]);
    expect(has('sum by (rail) (tranche_rail_breaker_open)', '{{reason}}')).toHaveLength(1);
  });
});

describe.each(dashboards.map((dashboard) => [dashboard.title, dashboard]))('the dashboard %s', (_, dashboard) => {
  const variables = dashboard.templating.list;
  const asked = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

  it('has variables for the installation, and for each label of its metrics that can be chosen', () => {
    const names = variables.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(['datasource', 'namespace', 'instance']);
    const has = (label) => asked.flatMap(metricsOf).some((metric) => registered.get(metric).labels.includes(label));
    expect(names.slice(3)).toEqual(['merchant', 'rail'].filter(has));
    for (const { name, query } of variables.slice(1)) {
      const [, metric] = /^label_values\((\w+).*, \w+\)$/.exec(query.query);
      expect(registered.get(metric)?.labels.concat('namespace', 'instance')).toContain(name);
    }
  });

  it('filters every metric by them', () => {
    for (const expr of asked)
      for (const [, metric, filters] of expr.matchAll(/\b((?:tranche|kafka|ingest|auth|cse|http)_\w+)\{([^}]*)\}/g)) {
        const labels = registered.get(metricsOf(metric)[0]).labels;
        const wanted = variables.slice(1).filter(({ name }) => ['namespace', 'instance', ...labels].includes(name));
        for (const { name } of wanted) expect(filters).toContain(`${name}=~"$${name}"`);
      }
    expect(asked.flatMap(metricsOf)).toHaveLength(asked.join().split('namespace=~').length - 1);
  });

  it('begins with figures, and leads to the other dashboards and to the chapters of its alerts', () => {
    const first = dashboard.panels.filter(({ gridPos }) => gridPos.y === 0);
    expect(first.length).toBeGreaterThan(3);
    expect(first.map(({ type }) => type)).toEqual(first.map(() => 'stat'));
    expect(dashboard.panels.filter(({ type }) => type === 'stat')).toEqual(first);
    expect(new Set(dashboard.panels.map(({ title }) => title)).size).toBe(dashboard.panels.length);
    expect(dashboard.links.map(({ tags, url }) => tags?.[0] ?? url)).toEqual(['tranche', 'docs/operate/runbook.md']);
    const known = alerts.map(({ annotations }) => annotations.runbook_url);
    const links = dashboard.panels.flatMap((panel) => panel.links.map(({ url }) => url));
    expect(links.length).toBeGreaterThan(0);
    expect(known).toEqual(expect.arrayContaining(links));
  });
});

it('docs/reference/metrics.md names every metric', () => {
  const text = metricsDocument(registered);
  for (const metric of ['kafka_queue_wait_seconds', 'tranche_client_waits'])
    expect(text).toContain(`| \`${metric}\` |`);
});
