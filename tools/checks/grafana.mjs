/** Makes Grafana's JSON of a dashboard: variables, the figures in the first row, panels, and links to the other dashboards and the runbook. */
import { DASHBOARDS } from './dashboards.mjs';
import { alerts, metricsOf, METRIC } from './queries.mjs';

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const RUNBOOK = 'docs/operate/runbook.md';
/** Label → a metric that has all its values. A target has the first two: a Prometheus without Kubernetes has no `namespace`. */
const OF_TARGETS = { namespace: 'tranche_build_info', instance: 'tranche_build_info' };
const OF_METRICS = { merchant: 'tranche_command_signatures_total', rail: 'tranche_rail_breaker_open' };
const FIGURE_HEIGHT = 4;

/** `registered` are the metrics of the code, by name: only those with a label are filtered by it. */
export function dashboardOf(uid, registered) {
  const { title, stats, panels } = DASHBOARDS[uid];
  const hasLabel = (metric, label) => registered.get(metricsOf(metric)[0])?.labels.includes(label);
  const metrics = [...stats, ...panels].flatMap(([, , expr]) => metricsOf(expr));
  const known = Object.keys(OF_METRICS).filter((label) => metrics.some((metric) => hasLabel(metric, label)));
  const filtersOf = (metric) => [...Object.keys(OF_TARGETS), ...known.filter((label) => hasLabel(metric, label))];
  const filtered = (expr) =>
    expr.replace(new RegExp(`(${METRIC.source})(?:\\{([^}]*)\\})?`, 'g'), (_, metric, own) => {
      const filters = filtersOf(metric).map((label) => `${label}=~"$${label}"`);
      return `${metric}{${[own, ...filters].filter(Boolean).join(', ')}}`;
    });
  const width = Math.floor(24 / stats.length);
  const panelOf = (type, [name, unit, expr, legendFormat], gridPos, more) => ({
    type,
    title: name,
    datasource: DATASOURCE,
    gridPos,
    links: linksOf(expr),
    targets: [{ refId: 'A', datasource: DATASOURCE, expr: filtered(expr), legendFormat }],
    ...more(unit),
  });
  return {
    uid: `tranche-${uid}`,
    title,
    tags: ['tranche'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    links: [
      { type: 'dashboards', title: 'Tranche', tags: ['tranche'], asDropdown: true, includeVars: true, keepTime: true },
      { type: 'link', title: 'Runbook', url: RUNBOOK, icon: 'doc', targetBlank: true },
    ],
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus' },
        ...Object.entries({ ...OF_TARGETS, ...OF_METRICS })
          .filter(([label]) => label in OF_TARGETS || known.includes(label))
          .map(([label, metric]) => variable(label, metric)),
      ],
    },
    panels: [
      ...stats.map(
        ([name, unit, expr, redFrom], at) =>
        panelOf('stat', [name, unit, expr, ''], { x: at * width, y: 0, w: width, h: FIGURE_HEIGHT }, () => figure(unit, redFrom)), // prettier-ignore
      ),
      ...panels.map((panel, at) =>
        panelOf('timeseries', panel, { x: (at % 3) * 8, y: FIGURE_HEIGHT + Math.floor(at / 3) * 8, w: 8, h: 8 }, lines),
      ),
    ].map((panel, at) => ({ id: at + 1, ...panel })),
  };
}

/** `.*` as the value of All also matches series without the label. */
function variable(label, metric) {
  const filter = label === 'namespace' ? '' : '{namespace=~"$namespace"}';
  const query = `label_values(${metric}${filter}, ${label})`;
  return {
    name: label,
    type: 'query',
    datasource: DATASOURCE,
    query: { query, refId: label },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: ['All'], value: ['$__all'] },
  };
}

/** The chapters of the alerts that ask for one of the panel's metrics. */
function linksOf(expr) {
  const metrics = metricsOf(expr);
  const about = alerts.filter((alert) => metricsOf(alert.expr).some((metric) => metrics.includes(metric)));
  return about.map(({ alert, annotations }) => ({
    title: `Runbook: ${alert}`,
    url: annotations.runbook_url,
    targetBlank: true,
  }));
}

const lines = (unit) => ({ fieldConfig: { defaults: { unit, min: 0 }, overrides: [] } });

function figure(unit, redFrom) {
  const red = redFrom === undefined ? [] : [{ color: 'red', value: redFrom }];
  const thresholds = { mode: 'absolute', steps: [{ color: 'green', value: null }, ...red] };
  return {
    fieldConfig: { defaults: { unit, min: 0, noValue: '–', thresholds }, overrides: [] },
    options: { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false }, colorMode: 'value' },
  };
}
