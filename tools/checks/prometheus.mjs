/** A Prometheus of this machine that scrapes services and evaluates the alerts of the chart. */
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { freePorts, portOpens } from '../infra/ports.mjs';

const OWN = '.infra/deploy/prometheus/usr/bin/prometheus';
const STEP_S = 15;

/** `targets`: pairs of a job's name and its address. */
export async function startPrometheus({ held, targets }) {
  const folder = held.folder('tranche-prometheus-');
  const [port] = await freePorts(1);
  const configuration = {
    global: { scrape_interval: `${STEP_S}s`, evaluation_interval: `${STEP_S}s` },
    rule_files: [resolve('deploy/helm/tranche/alerts.yaml')],
    scrape_configs: targets.map(([name, url]) => ({
      job_name: `tranche-${name}`,
      static_configs: [{ targets: [new URL(url).host] }],
    })),
  };
  writeFileSync(join(folder, 'prometheus.yml'), stringify(configuration));
  const args = {
    'config.file': join(folder, 'prometheus.yml'),
    'storage.tsdb.path': join(folder, 'data'),
    'web.listen-address': `127.0.0.1:${port}`,
  };
  const server = held.start(
    existsSync(OWN) ? resolve(OWN) : 'prometheus',
    Object.entries(args).map(([name, value]) => `--${name}=${value}`),
    { disposable: true },
  );
  await portOpens(port, { what: 'Prometheus', timeoutMs: 60_000, gaveUp: server.gaveUp });

  const ask = async (path, search = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(search)}`);
    const { data, error } = await answer.json();
    if (error) throw new Error(`Prometheus, ${path} ${JSON.stringify(search)}: ${error}`);
    return data;
  };

  /** Resolves to the series of a query since `fromMs`, each with `[second, text]` pairs. */
  async function series(query, fromMs) {
    const [start, end] = [fromMs / 1_000, Date.now() / 1_000];
    const { result } = await ask('query_range', { query, start, end, step: Math.max(STEP_S, (end - start) / 10_000) });
    return result;
  }

  return {
    async alertsSince(fromMs) {
      const told = (all) =>
        all.map(({ metric: { __name__, alertstate, ...labels }, values }) => {
          const at = new Date(values[0][0] * 1_000).toISOString();
          return `${JSON.stringify(labels)} from ${at}, ${values.length} evaluations`;
        });
      const up = await series('up', fromMs);
      const { groups } = await ask('rules');
      const rules = groups.flatMap((group) => group.rules);
      return {
        evaluated: rules.filter(({ health }) => health === 'ok').length,
        broken: rules.filter(({ health }) => health !== 'ok').map(({ name, lastError }) => `${name}: ${lastError}`),
        scrapes: up.reduce((sum, { values }) => sum + values.filter(([, value]) => value === '1').length, 0),
        fired: told(await series('ALERTS{alertstate="firing"}', fromMs)),
        pending: told(await series('ALERTS{alertstate="pending"}', fromMs)),
      };
    },
  };
}
