/** Plays an administrator's steps with the chart on a real Kubernetes API, in order. kwok plays the pods. */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { documentsOf, KUBECTL, until } from '../infra/kubernetes.mjs';
import { Expected } from '../infra/processes.mjs';

const CHART = 'deploy/helm/tranche';
const CRDS = '.infra/deploy/crds';
const RELEASE = 'tranche';
const SETS = ['serviceMonitor.enabled=true', 'prometheusRule.enabled=true', 'dashboards.enabled=true'];
/** Only shown to the API: KEDA, an ingress controller and a server of metrics do not run here. */
const NOT_INSTALLED = [
  'services.gateway.autoscaling.enabled=true',
  'services.ingest.autoscaling.enabled=true',
  'services.ingest.ingress.enabled=true',
  'services.ingest.ingress.hosts[0].host=ingest.example.com',
  'services.cse.httpRoute.enabled=true',
  'services.cse.httpRoute.parentRefs[0].name=edge',
];
const GATEWAYS = ['deployment', 'tranche-gateway'];
const OF_GATEWAY = `app.kubernetes.io/instance=${RELEASE},app.kubernetes.io/component=gateway`;
const HELM = resolve('.infra/deploy/python/bin/helm');

/** Each step is `{ name, run }`: `run` resolves to a description of what it saw, and throws if that is wrong. */
export function stepsOn({ kubeconfig, kubectl }) {
  const json = (...args) => JSON.parse(kubectl([...args, '-o', 'json']));
  const helmArgs = (args) => ['--kubeconfig', kubeconfig, ...args];
  const withSets = (sets) => [...SETS, ...sets].flatMap((set) => ['--set', set]);
  const helm = (args) => {
    const { status, stdout, stderr } = spawnSync(HELM, helmArgs(args), { encoding: 'utf8', maxBuffer: 1 << 26 });
    if (status !== 0) throw new Expected(`helm ${args[0]}: ${stderr.trim()}`);
    return stdout;
  };
  const deployments = () => json('get', 'deployments').items;
  const podsOfGateway = () =>
    json('get', 'pods', '-l', OF_GATEWAY).items.filter(({ metadata }) => !metadata.deletionTimestamp);
  const images = () => [...new Set(deployments().map(({ spec }) => spec.template.spec.containers[0].image))];
  const nodesOf = (pods) => pods.map(({ spec }) => spec.nodeName);
  const rendered = () => documentsOf(helm(['template', RELEASE, CHART, ...withSets(NOT_INSTALLED)]));

  /** Runs `work` and returns the smallest number of available gateways meanwhile. */
  async function fewestAvailable(work) {
    let fewest = Infinity;
    let isOver = false;
    const done = work().finally(() => (isOver = true));
    while (!isOver) {
      fewest = Math.min(fewest, json('get', ...GATEWAYS).status.availableReplicas ?? 0);
      await new Promise((next) => setTimeout(next, 50));
    }
    await done;
    return fewest;
  }

  const inBackground = (program, args) =>
    new Promise((done, failed) => {
      const said = [];
      const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      child.stderr.on('data', (text) => said.push(text));
      child.once('close', (code) => (code === 0 ? done() : failed(new Expected(said.join('').trim()))));
    });

  return [
    {
      name: 'each resource is taken by the API with strict fields',
      async run() {
        for (const file of readdirSync(CRDS)) kubectl(['apply', '--server-side', '-f', join(CRDS, file)]);
        kubectl(['wait', 'crd', '--all', '--for=condition=Established', '--timeout=30s']);
        const resources = rendered();
        const dryRun = (all) =>
          kubectl(
            ['create', '--dry-run=server', '--validate=strict', '-f', '-'],
            all.map((one) => stringify(one)).join('---\n'),
          );
        dryRun(resources);
        const gateway = resources.find(
          ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'tranche-gateway',
        );
        expectRefusal('a misspelt field', 'unknown field', () =>
          dryRun([{ ...gateway, spec: { ...gateway.spec, replicsa: 3 } }]),
        );
        return `${resources.length} resources, and a misspelt field is refused`;
      },
    },
    {
      name: 'install',
      async run() {
        helm(['install', RELEASE, CHART, ...withSets([]), '--wait', '--timeout', '2m']);
        const notReady = deployments().filter(({ spec, status }) => status.readyReplicas !== spec.replicas);
        expectEqual(
          'deployments that are not ready',
          notReady.map(({ metadata }) => metadata.name),
          [],
        );
        expectEqual('nodes of the gateways', [...new Set(nodesOf(podsOfGateway()))].length, 3);
        return `${deployments().length} deployments ready, a gateway on each node`;
      },
    },
    {
      name: 'upgrade',
      async run() {
        const args = ['upgrade', RELEASE, CHART, ...withSets(['image.tag=next']), '--wait', '--timeout', '3m'];
        const fewest = await fewestAvailable(() => inBackground(HELM, helmArgs(args)));
        expectEqual('images', images(), ['tranche:next']);
        expectEqual('the fewest gateways available', fewest, 3);
        return `to another image, never fewer than ${fewest} of 3 gateways available`;
      },
    },
    {
      name: 'a wrong upgrade',
      async run() {
        const wrong = ['upgrade', RELEASE, CHART, ...withSets(['services.gateway.settings.NO_SUCH_SETTING=1'])];
        expectRefusal('an unknown setting', 'NO_SUCH_SETTING', () => helm(wrong));
        expectEqual('images', images(), ['tranche:next']);
        return 'is refused, and nothing changed';
      },
    },
    {
      name: 'rollback',
      async run() {
        helm(['rollback', RELEASE, '1', '--wait', '--timeout', '3m']);
        expectEqual('images', images(), ['tranche:0.1.0']);
        return 'to the first revision and its image';
      },
    },
    {
      name: 'drain of a node',
      async run() {
        const node = nodesOf(podsOfGateway())[0];
        const args = [
          '--kubeconfig',
          kubeconfig,
          'drain',
          node,
          '--ignore-daemonsets',
          '--delete-emptydir-data',
          '--timeout=2m',
        ];
        const fewest = await fewestAvailable(() => inBackground(KUBECTL, args));
        await until('three gateways', () => expectEqual('gateways', json('get', ...GATEWAYS).status.readyReplicas, 3));
        expectEqual(
          'gateways on the node',
          nodesOf(podsOfGateway()).filter((one) => one === node),
          [],
        );
        if (fewest < 2) throw new Expected(`only ${fewest} gateways were available`);
        kubectl(['uncordon', node]);
        return `moves its pods, never fewer than ${fewest} of 3 gateways available`;
      },
    },
    {
      name: 'disruption budget',
      async run() {
        const nodes = json('get', 'nodes').items.map(({ metadata }) => metadata.name);
        kubectl(['cordon', ...nodes]);
        const evict = ({ metadata }) => {
          const eviction = {
            apiVersion: 'policy/v1',
            kind: 'Eviction',
            metadata: { name: metadata.name, namespace: 'default' },
          };
          kubectl(
            ['create', '--raw', `/api/v1/namespaces/default/pods/${metadata.name}/eviction`, '-f', '-'],
            JSON.stringify(eviction),
          );
        };
        const [first, second] = podsOfGateway();
        evict(first);
        await until('two gateways', () => expectEqual('gateways', json('get', ...GATEWAYS).status.readyReplicas, 2));
        expectRefusal('a second eviction', 'disruption budget', () => evict(second));
        kubectl(['uncordon', ...nodes]);
        await until('three gateways', () => expectEqual('gateways', json('get', ...GATEWAYS).status.readyReplicas, 3));
        return 'a second gateway is not evicted while the first has no successor';
      },
    },
    {
      name: 'uninstall',
      async run() {
        helm(['uninstall', RELEASE, '--wait']);
        const kinds =
          'deployments,services,configmaps,serviceaccounts,poddisruptionbudgets,networkpolicies,scaledobjects,servicemonitors,prometheusrules';
        const left = json('get', kinds, '-l', `app.kubernetes.io/instance=${RELEASE}`).items;
        expectEqual(
          'what is left',
          left.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
          [],
        );
        return 'nothing is left';
      },
    },
  ];
}

function expectEqual(what, found, wanted) {
  const [is, must] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (is !== must) throw new Expected(`${what}: ${is} instead of ${must}`);
}

function expectRefusal(what, reason, attempt) {
  try {
    attempt();
  } catch (error) {
    if (error.message.includes(reason)) return;
    throw error;
  }
  throw new Expected(`${what} was taken`);
}
