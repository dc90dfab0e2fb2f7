import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';

const TESTED = ['lint', 'typecheck', 'build', 'test'];

let nodes;
let dependencies;

function nx(...args) {
  const { status, stdout, stderr } = spawnSync('node_modules/.bin/nx', args, {
    env: { ...process.env, NX_DAEMON: 'false', NO_COLOR: '1', FORCE_COLOR: '0' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`nx ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-graph-'));
  try {
    nx('graph', `--file=${join(folder, 'graph.json')}`);
    const { graph } = JSON.parse(readFileSync(join(folder, 'graph.json'), 'utf8'));
    nodes = new Map(Object.entries(graph.nodes).map(([name, { data }]) => [name, data]));
    dependencies = new Map(
      Object.keys(graph.nodes).map((name) => [name, graph.dependencies[name].map(({ target }) => target)]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 180_000);

const affectedBy = (file) => JSON.parse(nx('show', 'projects', '--affected', `--files=${file}`, '--json')).sort();
const filesOf = (root) =>
  readdirSync(root, { recursive: true })
    .map((file) => join(root, file))
    .filter((file) => !/(^|\/)(node_modules|dist)\//.test(file));
const projects = () => [...nodes].filter(([name]) => name !== 'tranche');

function buildsBefore(name) {
  return (nodes.get(name).targets.build?.dependsOn ?? []).flatMap((entry) => {
    if (entry === '^build') return dependencies.get(name).filter((target) => nodes.get(target)?.targets.build);
    return entry.target === 'build' ? [entry.projects].flat() : [];
  });
}

function allBuildsBefore(name, path = []) {
  if (path.includes(name)) throw new Error(`builds in a circle: ${[...path, name].join(' → ')}`);
  return new Set(buildsBefore(name).flatMap((before) => [before, ...allBuildsBefore(before, [...path, name])]));
}

describe("Nx's project graph", () => {
  it('a change in libs/platform affects exactly the projects that depend on it', () => {
    expect(affectedBy('libs/platform/src/index.ts')).toEqual(
      [
        '@tranche/platform',
        // These import it.
        '@tranche/cli',
        '@tranche/notification-ingest',
        '@tranche/payment-gateway',
        '@tranche/verification',
        // The tests of these start a service that imports it.
        '@tranche/checkout-demo',
        '@tranche/client',
        '@tranche/operations',
        'tools',
        // It imports the client.
        '@tranche/example-quickstart',
        // The root project checks the format of the whole repository.
        'tranche',
      ].sort(),
    );
  }, 120_000);

  it('a change of a spec affects its project', () => {
    expect(affectedBy('apps/auth-service/src/accounts.spec.ts')).toContain('@tranche/auth-service');
  }, 120_000);

  it('every project has its targets', () => {
    const missing = projects().flatMap(([name, { root, targets }]) => {
      const files = filesOf(root);
      const wanted = [
        ...(existsSync(join(root, 'tsconfig.json')) ? TESTED : ['lint']),
        ...(files.some((file) => file.includes('.e2e.spec.')) ? ['e2e'] : []),
        ...(root.startsWith('apps/') ? ['serve'] : []),
      ];
      return wanted.filter((target) => !targets[target]).map((target) => `${name}:${target}`);
    });
    expect(projects().length).toBeGreaterThan(15);
    expect(missing).toEqual([]);
  });

  it('every project says what it is and what it is about', () => {
    const kinds = projects().map(([name, { tags = [] }]) => [
      name,
      tags
        .map((tag) => tag.split(':')[0])
        .filter((kind) => /^(type|scope)$/.test(kind))
        .sort(),
    ]);
    expect(kinds.filter(([, found]) => found.join() !== 'scope,type')).toEqual([]);
  });

  it('a project depends on the apps that its tests start', () => {
    const started = projects().flatMap(([name, { root }]) =>
      filesOf(root)
        .filter((file) => file.endsWith('.ts') && root !== 'libs/testing')
        .map((file) => readFileSync(file, 'utf8'))
        .flatMap((text) => [
          ...[...text.matchAll(/startApp\(\s*'([a-z-]+)'/g)].map(([, app]) => app),
          ...(/\bstartSimulator\(/.test(text) ? ['platform-simulator'] : []),
        ])
        .map((app) => [name, `@tranche/${app}`]),
    );
    const unknown = started.filter(([name, app]) => name !== app && !dependencies.get(name).includes(app));
    expect(started.length).toBeGreaterThan(10);
    expect(unknown).toEqual([]);
  });

  it('builds wait for the builds that they read, and never in a circle', () => {
    const unordered = projects()
      .filter(([, { targets }]) => targets.build)
      .flatMap(([name, { root }]) => {
        const { references = [] } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
        const before = allBuildsBefore(name);
        const named = references.map(({ path }) => normalize(join(root, path)).replace(/\/$/, ''));
        const others = named.filter((folder) => dirname(folder) !== root);
        const nameOf = (folder) => [...nodes].find(([, node]) => node.root === folder)?.[0] ?? folder;
        return others
          .map(nameOf)
          .filter((other) => !before.has(other))
          .map((other) => `${name} does not wait for ${other}`);
      });
    expect(unordered).toEqual([]);
  });
});
