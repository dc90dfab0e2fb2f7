/**
 * Starts a real Kubernetes API on this machine without containers: kwok plays nodes and pods. deploy/build-kubernetes.sh builds its
 * programs.
 */
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { freePorts, portOpens } from './ports.mjs';
import { Expected } from './processes.mjs';

const BUILT = resolve('.infra/deploy/kubernetes');
const PROGRAMS = ['etcd', 'kwok', 'kubectl', 'kube-scheduler', 'kube-controller-manager', 'kube-apiserver'];
export const KUBECTL = join(BUILT, 'bin/kubectl');
const ZONES = ['a', 'b', 'c'];

export const isKubernetesBuilt = () => PROGRAMS.every((name) => existsSync(join(BUILT, 'bin', name)));

/** Resolves to `{ kubeconfig, kubectl(args, input) }`; `kubectl` returns the output. @throws with the error output */
export async function startKubernetes({ held, log }) {
  const folder = held.folder('tranche-kubernetes-');
  const [etcd, peers, api, managers, scheduler] = await freePorts(5);
  const token = randomBytes(16).toString('hex');
  const written = (name, content) => {
    const file = join(folder, name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  };
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const serviceAccountKey = written('accounts.pem', keys.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const server = `https://127.0.0.1:${api}`;
  const kubeconfig = written('kubeconfig.yaml', stringify(kubeconfigOf(server, token)));
  const start = (name, settings) => {
    const args = Object.entries(settings).map(([setting, value]) => `--${setting}=${value}`);
    return held.start(join(BUILT, 'bin', name), args, { disposable: true });
  };
  const client = `http://127.0.0.1:${etcd}`;
  const store = start('etcd', {
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': `http://127.0.0.1:${peers}`,
  });
  await portOpens(etcd, { what: 'etcd', timeoutMs: 30_000, gaveUp: store.gaveUp });
  const apiServer = start('kube-apiserver', {
    'etcd-servers': client,
    'secure-port': api,
    'bind-address': '127.0.0.1',
    'cert-dir': join(folder, 'certificates'),
    'token-auth-file': written('tokens.csv', `${token},admin,admin,system:masters\n`),
    'authorization-mode': 'RBAC',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': serviceAccountKey,
    'service-account-signing-key-file': serviceAccountKey,
    'service-cluster-ip-range': '10.0.0.0/24',
  });
  await portOpens(api, { what: 'kube-apiserver', timeoutMs: 60_000, gaveUp: apiServer.gaveUp });
  const kubectl = (args, input) => {
    const options = { encoding: 'utf8', input, maxBuffer: 64 * 1024 * 1024 };
    const outcome = spawnSync(KUBECTL, ['--kubeconfig', kubeconfig, ...args], options);
    if (outcome.status !== 0) throw new Expected(`kubectl ${args.join(' ')}: ${outcome.stderr.trim()}`);
    return outcome.stdout;
  };
  await until('the API to be ready', () => kubectl(['get', '--raw', '/readyz']));
  const shared = { kubeconfig, 'leader-elect': false, 'bind-address': '127.0.0.1' };
  const rest = { 'authentication-skip-lookup': true, 'authorization-kubeconfig': kubeconfig };
  start('kube-controller-manager', {
    ...shared,
    ...rest,
    'secure-port': managers,
    'service-account-private-key-file': serviceAccountKey,
  });
  start('kube-scheduler', { ...shared, ...rest, 'secure-port': scheduler });
  const stages = readdirSync(join(BUILT, 'stages')).map((name) => readFileSync(join(BUILT, 'stages', name), 'utf8'));
  start('kwok', { kubeconfig, 'manage-all-nodes': true, config: written('stages.yaml', stages.join('\n---\n')) });
  kubectl(['apply', '-f', '-'], ZONES.map((zone) => stringify(nodeOf(zone))).join('---\n'));
  await until('the nodes to be ready', () =>
    kubectl(['wait', 'node', '--all', '--for=condition=Ready', '--timeout=30s']),
  );
  log(`Kubernetes ${JSON.parse(kubectl(['get', '--raw', '/version'])).gitVersion} on ${server}, three nodes`);
  return { kubeconfig, kubectl };
}

export async function until(what, attempt, timeoutMs = 60_000) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline)
        throw new Expected(`waited ${timeoutMs} ms for ${what} in vain: ${error.message}`);
      await new Promise((done) => setTimeout(done, 250));
    }
  }
}

export const documentsOf = (text) =>
  parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter(Boolean);

function kubeconfigOf(server, token) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'kwok', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'kwok', context: { cluster: 'kwok', user: 'admin' } }],
    'current-context': 'kwok',
  };
}

function nodeOf(zone) {
  const name = `node-${zone}`;
  const size = { cpu: '16', memory: '64Gi', pods: '110' };
  const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone, 'kubernetes.io/os': 'linux' };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, status: { allocatable: size, capacity: size } };
}
