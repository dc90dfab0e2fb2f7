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
  ])('%s=%s is sound: %s', (name, value, isSound) => {
    expect(readConfig(KitConfig, { [name]: value }).faults).toHaveLength(isSound ? 0 : 1);
  });

  it('take proxies as addresses and networks only', () => {
    expect(readConfig(KitConfig, { TRUSTED_PROXIES: 'proxy' }).faults.map(({ name }) => name)).toEqual([
      'TRUSTED_PROXIES',
    ]);
    expect(readConfig(KitConfig, { TRUSTED_PROXIES: '10.0.0.0/8' }).config.isProxy?.('10.1.2.3')).toBe(true);
  });

  it('are all in docs/settings.md', () => {
    const settings = readFileSync(join(__dirname, '../../../docs/settings.md'), 'utf8');
    for (const { name } of describeConfig(KitConfig)) expect(settings).toContain(`\`${name}\``);
  });
});
