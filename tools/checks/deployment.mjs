/** Checks deploy/, docker-compose.yml and .github/ without a cluster, with those tools that are installed. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments, stringify } from 'yaml';

const TOOLS = resolve('.infra/deploy');
const CHART = 'deploy/helm/tranche';
const KUBERNETES = '1.34';
const WHERE = {
  helm: 'python/bin',
  'helm-unittest': 'bin',
  'kubernetes-validate': 'python/bin',
  'check-jsonschema': 'python/bin',
  actionlint: 'bin',
  promtool: 'prometheus/usr/bin',
};

/** Schemas of SchemaStore, which check-jsonschema brings along, and the files that they are for. */
const SCHEMAS = {
  'github-workflows': readdirSync('.github/workflows').map((file) => `.github/workflows/${file}`),
  dependabot: ['.github/dependabot.yml'],
  'github-issue-forms': ['.github/ISSUE_TEMPLATE/fault.yml', '.github/ISSUE_TEMPLATE/wish.yml'],
  'github-issue-config': ['.github/ISSUE_TEMPLATE/config.yml'],
  'compose-spec': ['docker-compose.yml'],
};

/** Returns `{ done, skipped, faults }`, one line each. */
export function checkDeployment() {
  const report = { done: [], skipped: [], faults: [] };
  withTool('helm', report, 'lint and rendering of the chart, and its resources against their schemas', (helm) => {
    const installations = readdirSync(`${CHART}/ci`).map((file) => [file, `${CHART}/ci/${file}`]);
    const first = ['a first installation', 'deploy/first-values.yaml'];
    for (const [name, ...files] of [['as shipped'], first, ...installations]) {
      const values = files.flatMap((file) => ['--values', file]);
      note(report, `helm lint, ${name}`, call(helm, ['lint', '--strict', CHART, ...values]));
      const rendered = call(helm, ['template', 'tranche', CHART, ...values]);
      note(report, `helm template, ${name}`, rendered);
      if (rendered.fault === undefined) checkResources(name, documentsOf(rendered.output), report);
    }
    checkResources('with usual values', withUsualValues(helm, report), report);
  });
  withTool(
    'helm-unittest',
    report,
    'values of the chart in their places, wrong ones refused, and its notes',
    (unittest) => note(report, 'tests of the chart', call(unittest, [CHART])),
  );
  withTool('promtool', report, 'rules and tests of the alerts', (promtool) => {
    note(report, 'promtool check rules', call(promtool, ['check', 'rules', `${CHART}/alerts.yaml`]));
    note(report, 'promtool test rules', call(promtool, ['test', 'rules', 'deploy/alerts.test.yaml']));
    note(report, 'queries of the dashboards', checkQueries(promtool));
    const ofCompose = call(promtool, ['check', 'config', '--syntax-only', 'deploy/compose-prometheus.yml']);
    note(report, 'Prometheus of docker-compose.yml', ofCompose);
  });
  withTool('actionlint', report, 'workflows', (actionlint) =>
    note(report, 'actionlint', call(actionlint, SCHEMAS['github-workflows'])),
  );
  withTool('check-jsonschema', report, 'workflows, updates, forms and docker-compose.yml by their schemas', (check) => {
    for (const [schema, files] of Object.entries(SCHEMAS))
      note(report, `schema ${schema}`, call(check, ['--builtin-schema', `vendor.${schema}`, ...files]));
  });
  return report;
}

const documentsOf = (text) =>
  parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter(Boolean);

/** Renders each value that platform teams set, and the examples of deploy/README.md; Kubernetes' schemas are asked about all at once. */
function withUsualValues(helm, report) {
  const { tests } = parse(readFileSync(`${CHART}/tests/usual-values_test.yaml`, 'utf8'));
  const examples = [...readFileSync('deploy/README.md', 'utf8').matchAll(/^```yaml\n(.*?)^```/gms)];
  const all = new Map();
  for (const values of [...tests.map(({ set }) => set), ...examples.map(([, example]) => parse(example))])
    inTemporaryFolder((folder) => {
      const file = join(folder, 'values.json');
      writeFileSync(file, JSON.stringify(values));
      const { fault, output = '' } = call(helm, ['template', 'tranche', CHART, '--values', file]);
      if (fault !== undefined) report.faults.push(`${JSON.stringify(values)}: ${fault}`);
      for (const one of documentsOf(output)) all.set(JSON.stringify(one), one);
    });
  return [...all.values()];
}

function checkResources(name, resources, report) {
  const isBuiltIn = ({ apiVersion }) => /^(v1|apps\/|policy\/|autoscaling\/|networking\.k8s\.io\/)/.test(apiVersion);
  withTool('kubernetes-validate', report, `Kubernetes' resources against its schemas, ${name}`, (validate) =>
    inTemporaryFolder((folder) => {
      const files = resources.filter(isBuiltIn).map((resource, at) => {
        // JSON, because YAML 1.1 reads a label `y` as true.
        const file = join(folder, `${at}.json`);
        writeFileSync(file, JSON.stringify(resource));
        return file;
      });
      const outcome = call(validate, ['--strict', '--quiet', '-k', KUBERNETES, ...files]);
      note(report, `${files.length} resources against Kubernetes ${KUBERNETES}, ${name}`, outcome);
    }),
  );
  const custom = resources.filter((resource) => !isBuiltIn(resource));
  const schemas = customSchemas();
  for (const resource of custom) {
    const what = `${resource.kind} ${resource.metadata.name}, ${name}`;
    const schema = schemas.get(`${resource.apiVersion} ${resource.kind}`);
    if (schema === undefined) report.skipped.push(`${what}: no schema in .infra/deploy/crds`);
    else note(report, what, matches(schema, resource));
  }
}

/** Collects schemas from `.infra/deploy/crds` by apiVersion and kind. Unknown fields are refused, as a strict API server does. */
function customSchemas() {
  const folder = join(TOOLS, 'crds');
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return new Map(
    files.flatMap((file) => {
      const { spec } = parse(readFileSync(join(folder, file), 'utf8'));
      return spec.versions.map(({ name, schema }) => [
        `${spec.group}/${name} ${spec.names.kind}`,
        closedSchema({ ...schema.openAPIV3Schema }),
      ]);
    }),
  );
}

function closedSchema(schema) {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closedSchema);
  // JavaScript's regular expressions don't know Go's `(?i)`, so such patterns are left out.
  const isReadable = ([key, value]) => key !== 'pattern' || typeof value !== 'string' || !value.includes('(?i)');
  const closed = Object.fromEntries(
    Object.entries(schema)
      .filter(isReadable)
      .map(([key, value]) => [key, closedSchema(value)]),
  );
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties !== undefined;
  const hasFields = typeof schema.properties === 'object' && schema.properties.type?.type === undefined;
  return hasFields && schema.type === 'object' && !isOpen && schema.properties.spec === undefined
    ? { ...closed, additionalProperties: false }
    : closed;
}

function matches(schema, resource) {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const { metadata: _, ...rest } = resource;
  const { metadata: __, ...properties } = schema.properties;
  const validate = ajv.compile({ ...schema, properties });
  return validate(rest) ? {} : { fault: ajv.errorsText(validate.errors) };
}

/** Wraps each dashboard query in a rule, so that promtool parses it as Prometheus would. */
function checkQueries(promtool) {
  const folder = `${CHART}/dashboards`;
  const queries = readdirSync(folder).flatMap((file) =>
    JSON.parse(readFileSync(join(folder, file), 'utf8')).panels.flatMap(({ targets }) =>
      targets.map(({ expr }) => expr),
    ),
  );
  const rules = queries.map((expr, at) => ({ record: `query:${at}`, expr: expr.replaceAll('$__rate_interval', '1m') }));
  return inTemporaryFolder((temporary) => {
    const file = join(temporary, 'queries.yaml');
    writeFileSync(file, stringify({ groups: [{ name: 'queries', rules }] }));
    return call(promtool, ['check', 'rules', file]);
  });
}

function withTool(name, report, what, use) {
  const own = join(TOOLS, WHERE[name], name);
  const found = existsSync(own) ? own : name;
  if (spawnSync(found, ['--help'], { stdio: 'ignore' }).error === undefined) use(found);
  else report.skipped.push(`${what}: ${name} is missing (deploy/fetch-tools.sh)`);
}

function call(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  return status === 0 ? { output: stdout } : { fault: `${error ?? ''}${stdout}${stderr}`.trim() };
}

function note({ done, faults }, what, { fault }) {
  if (fault === undefined) done.push(what);
  else faults.push(`${what}: ${fault}`);
}

function inTemporaryFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-deploy-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
