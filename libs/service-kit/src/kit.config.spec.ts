import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeConfig, readConfig } from './config.js';
import { KitConfig } from './kit.config.js';

describe('settings that every service has', () => {
  it('all have defaults or may be missing', () => {
    expect(readConfig(KitConfig, {}).faults).toEqual([]);
  });

  it.each([
    ['LOG_LEVEL', 'silent', true],
    ['LOG_LEVEL', 'verbose', false],
    ['SHUTDOWN_TIMEOUT_MS', '99', false],
    ['SHUTDOWN_TIMEOUT_MS', '100', true],
    ['SHUTDOWN_TIMEOUT_MS', '600000', true],
    ['SHUTDOWN_TIMEOUT_MS', '600001', false],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318', true],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', false],
    ['OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=staging,k8s.pod.name=gateway%2D0', true],
    ['OTEL_RESOURCE_ATTRIBUTES', 'staging', false],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a=b=c', false],
    ['OTEL_RESOURCE_ATTRIBUTES', 'load=100%', false],
    ['OTEL_SERVICE_NAME', 'gateway-of-france', true],
  ])('%s=%s is sound: %s', (name, value, isSound) => {
    expect(readConfig(KitConfig, { [name]: value }).faults).toHaveLength(isSound ? 0 : 1);
  });

  it('refuse an attribute that is too long for OpenTelemetry, which would drop them all', () => {
    const faults = (characters: number) =>
      readConfig(KitConfig, { OTEL_RESOURCE_ATTRIBUTES: `a=${'b'.repeat(characters)}` }).faults;
    expect([faults(255).length, faults(256).length]).toEqual([0, 1]);
  });

  it('take proxies as addresses and networks only', () => {
    expect(readConfig(KitConfig, { TRUSTED_PROXIES: 'proxy' }).faults.map(({ name }) => name)).toEqual([
      'TRUSTED_PROXIES',
    ]);
    expect(readConfig(KitConfig, { TRUSTED_PROXIES: '10.0.0.0/8' }).config.isProxy?.('10.1.2.3')).toBe(true);
  });

  const CLUSTER = { REDIS_CLUSTER_NODES: 'a:6379,[::1]:6380' };
  const SENTINELS = { REDIS_SENTINEL_NODES: 's1:26379,s2:26379', REDIS_SENTINEL_MASTER: 'index' };

  it('say where Redis is: one server, a cluster, or sentinels with their password', () => {
    const topology = (env: Record<string, string>) => readConfig(KitConfig, env).config.redisTopology;
    expect(topology({})).toEqual({});
    expect(topology(CLUSTER)).toEqual({ clusterNodes: ['a:6379', '[::1]:6380'] });
    const sentinels = { nodes: ['s1:26379', 's2:26379'], master: 'index' };
    expect(topology(SENTINELS)).toEqual({ sentinels });
    expect(topology({ ...SENTINELS, REDIS_SENTINEL_USERNAME: 'u', REDIS_SENTINEL_PASSWORD: 'p' })).toEqual({
      sentinels: { ...sentinels, username: 'u', password: 'p' },
    });
  });

  it.each([
    ['a cluster and sentinels', { ...CLUSTER, ...SENTINELS }, ['REDIS_CLUSTER_NODES']],
    ['sentinels without a name', { REDIS_SENTINEL_NODES: 's:26379' }, ['REDIS_SENTINEL_MASTER']],
    ['a name without sentinels', { REDIS_SENTINEL_MASTER: 'index' }, ['REDIS_SENTINEL_NODES']],
    ['nodes without ports', { REDIS_CLUSTER_NODES: 'a:6379,b' }, ['REDIS_CLUSTER_NODES']],
    [
      'nodes with a scheme',
      { REDIS_SENTINEL_NODES: 'redis://s:1', REDIS_SENTINEL_MASTER: 'm' },
      ['REDIS_SENTINEL_NODES'],
    ],
  ])('refuse %s', (_what, env, names) => {
    expect(readConfig(KitConfig, env).faults.map(({ name }) => name)).toEqual(names);
  });

  it('are all in docs/reference/settings.md', () => {
    const settings = readFileSync(join(__dirname, '../../../docs/reference/settings.md'), 'utf8');
    for (const { name } of describeConfig(KitConfig)) expect(settings).toContain(`\`${name}\``);
  });
});
