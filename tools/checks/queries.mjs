import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const CHART = 'deploy/helm/tranche';
export const METRIC = /\b(?:tranche|kafka|ingest|auth|cse|checkout|http_server)_[a-z0-9_]+\b/g;

export const alerts = parse(readFileSync(`${CHART}/alerts.yaml`, 'utf8')).groups.flatMap(({ rules }) => rules);

export const dashboards = readdirSync(`${CHART}/dashboards`).map((file) =>
  JSON.parse(readFileSync(`${CHART}/dashboards/${file}`, 'utf8')),
);

export const queries = [
  ...alerts.map(({ alert, expr }) => [alert, expr]),
  ...dashboards.flatMap(({ title, panels }) =>
    panels.map((panel) => [`${title}, ${panel.title}`, panel.targets[0].expr]),
  ),
];

/** A histogram is registered without `_bucket`, `_count` and `_sum`, so these are cut off. */
export const metricsOf = (expr) =>
  [...expr.replace(/\{[^}]*\}|by \([^)]*\)/g, '').matchAll(METRIC)].map(([name]) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  );

export const labelsOf = (expr) => ({
  grouped: [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list.split(',').map((label) => label.trim())),
  matched: [...expr.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label),
});
