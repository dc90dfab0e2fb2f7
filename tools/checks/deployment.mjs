/** Checks deploy/ without a cluster, with those tools that are installed. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { wayFaults } from './deployment-ways.mjs';
import { keysOf, notSeen, REFUSED, USUAL_VALUES, valuesWith } from './usual-values.mjs';

const TOOLS = resolve('.infra/deploy');
const CHART = 'deploy/helm/tranche';
const KUBERNETES = '1.34';
const WHERE = { helm: 'python/bin', 'kubernetes-validate': 'python/bin', promtool: 'prometheus/usr/bin' };
const ALL_PARTS = [
  'serviceMonitor.enabled=true',
  'prometheusRule.enabled=true',
  'dashboards.enabled=true',
  ...['gateway', 'ingest', 'auth', 'cse'].map((service) => `services.${service}.autoscaling.enabled=true`),
  ...['ingest', 'cse'].flatMap((service) => [
    `services.${service}.ingress.enabled=true`,
    `services.${service}.ingress.hosts[0].host=${service}.example.com`,
    `services.${service}.httpRoute.enabled=true`,
    `services.${service}.httpRoute.parentRefs[0].name=edge`,
  ]),
  'keda.prometheus=http://prometheus:9090',
  'keda.authentication=kafka',
];
const SMALL = [
  ...['gateway', 'ingest', 'auth', 'cse'].map((service) => `services.${service}.replicas=1`),
  `image.digest=sha256:${'0'.repeat(64)}`,
  'imagePullSecrets[0].name=registry',
  'networkPolicy.enabled=false',
  'preStopSeconds=0',
];
const NARROW = ['networkPolicy.egress.redis.to[0].ipBlock.cidr=10.1.0.0/16', 'settings.PLAINTEXT_HOSTS=kafka'];
/** Each variant is one way to install the chart. A template can be wrong in one of them only. */
const VARIANTS = {
  'as shipped': {
    sets: [],
    notes: ['helm -n default test tranche', 'Nothing leads to notification-ingest from outside'],
  },
  'with all parts': { sets: ALL_PARTS, notes: ['replicas: 3 to 12', 'settings.TRUSTED_PROXIES is not set'] },
  small: { sets: SMALL, notes: ['replicas: 1', 'networkPolicy.enabled is false'] },
  'as foo': { release: 'foo', sets: NARROW, notes: ['foo-cse:4040'] },
};

/** Returns `{ done, skipped, faults }`, one line each. */
export function checkDeployment() {
  const report = { done: [], skipped: [], faults: [] };
  withTool('helm', report, 'lint and rendering of the chart, and its resources against their schemas', (helm) => {
    note(report, 'helm lint', call(helm, ['lint', '--strict', CHART]));
    for (const [name, { release = 'tranche', sets }] of Object.entries(VARIANTS)) {
      const rendered = call(helm, ['template', release, CHART, ...setting(sets)]);
      note(report, `helm template, ${name}`, rendered);
      if (rendered.fault !== undefined) continue;
      const resources = resourcesOf(rendered.output);
      checkResources(name, resources, report);
      const fault = resources.flatMap(podFaults).join('; ') || undefined;
      note(report, `pods end gracefully and can do little, ${name}`, { fault });
      note(report, `services and ways out, ${name}`, { fault: wayFaults(resources).join('; ') || undefined });
    }
    const wrong = call(helm, ['template', 'tranche', CHART, '--set', 'services.gateway.settings.NO_SUCH_SETTING=1']);
    if (wrong.fault === undefined) report.faults.push('the schema of the values takes a setting that no service has');
    checkValues(helm, report);
    checkNotes(helm, report);
  });
  withTool('promtool', report, 'rules and tests of the alerts', (promtool) => {
    note(report, 'promtool check rules', call(promtool, ['check', 'rules', `${CHART}/alerts.yaml`]));
    note(report, 'promtool test rules', call(promtool, ['test', 'rules', 'deploy/alerts.test.yaml']));
    note(report, 'queries of the dashboards', checkQueries(promtool));
  });
  return report;
}

const resourcesOf = (text) =>
  parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter(Boolean);

/** Renders each value that platform teams set, and asks Kubernetes' schemas about all that came of it at once. */
function checkValues(helm, report) {
  const rendered = (values) =>
    inTemporaryFolder((folder) => {
      const file = join(folder, 'values.json');
      writeFileSync(file, JSON.stringify(values));
      return call(helm, ['template', 'tranche', CHART, '--values', file]);
    });
  const all = new Map();
  for (const value of USUAL_VALUES) {
    const { fault, output = '' } = rendered(value.values);
    const resources = resourcesOf(output);
    for (const one of resources) all.set(JSON.stringify(one), one);
    const unseen = fault ?? (notSeen(value, resources).join('; ') || undefined);
    note(report, `value ${value.name}: is in its place`, { fault: unseen });
    const missing = refusalFault(rendered(valuesWith(value.typo)), keysOf(value.typo));
    note(report, `value ${value.name}: ${value.typo[0]} is refused with its path`, { fault: missing });
  }
  for (const [name, values, message] of REFUSED)
    note(report, `refused: ${name}`, { fault: refusalFault(rendered(values), [message]) });
  const examples = [...readFileSync('deploy/README.md', 'utf8').matchAll(/^```yaml\n(.*?)^```/gms)];
  for (const [at, [, example]] of examples.entries()) {
    const { fault, output = '' } = rendered(parse(example));
    for (const one of resourcesOf(output)) all.set(JSON.stringify(one), one);
    note(report, `example ${at + 1} of deploy/README.md`, { fault });
  }
  checkResources('with usual values', [...all.values()], report);
}

/** `helm template` leaves the notes out, so a copy of the chart renders them as the text of a resource. */
function checkNotes(helm, report) {
  const resource =
    'apiVersion: v1\nkind: Notes\nmetadata: { name: notes }\ntext: {{ tpl (.Files.Get "NOTES.txt") . | quote }}\n';
  inTemporaryFolder((folder) => {
    cpSync(CHART, folder, { recursive: true });
    renameSync(join(folder, 'templates/NOTES.txt'), join(folder, 'NOTES.txt'));
    writeFileSync(join(folder, 'templates/notes.yaml'), resource);
    for (const [name, { release = 'tranche', sets, notes }] of Object.entries(VARIANTS)) {
      const args = ['template', release, folder, '--show-only', 'templates/notes.yaml', ...setting(sets)];
      const { fault, output } = call(helm, args);
      const text = fault === undefined ? parse(output).text : '';
      const wrong = notes.filter((part) => !text.includes(part));
      note(report, `notes, ${name}`, { fault: fault ?? (wrong.map((part) => `without ${part}`).join('; ') || undefined) }); // prettier-ignore
    }
  });
}

const setting = (sets) => sets.flatMap((set) => ['--set', set]);

function refusalFault({ fault }, wanted) {
  if (fault === undefined) return 'is taken';
  return wanted.every((part) => fault.includes(part)) ? undefined : `says ${fault}, without ${wanted.join()}`;
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

/**
 * The grace period must be longer than preStop and drain together, or Kubernetes kills the pod mid-drain. No container runs as root or
 * writes outside its volumes.
 */
function podFaults({ kind, metadata, spec }) {
  if (kind !== 'Deployment') return [];
  const { containers, securityContext, terminationGracePeriodSeconds, ...pod } = spec.template.spec;
  return containers.flatMap((container) => {
    const valueOf = (variable) => Number(container.env.find(({ name }) => name === variable).value);
    const preStopMs = Number(/(\d+)\)$/.exec(container.lifecycle.preStop.exec.command.at(-1))[1]);
    const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = container.securityContext;
    return [
      ...(terminationGracePeriodSeconds * 1000 > preStopMs + valueOf('SHUTDOWN_TIMEOUT_MS')
        ? []
        : ['grace is too short']),
      ...(securityContext.runAsNonRoot && securityContext.seccompProfile.type === 'RuntimeDefault' ? [] : ['root']),
      ...(readOnlyRootFilesystem && !allowPrivilegeEscalation && capabilities.drop[0] === 'ALL' ? [] : ['privileges']),
      ...(pod.automountServiceAccountToken === false ? [] : ['a token']),
    ].map((fault) => `${metadata.name}: ${fault}`);
  });
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
