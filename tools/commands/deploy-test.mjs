import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

export const description =
  'installs, upgrades, rolls back and drains the chart on a real Kubernetes API of this machine';
export const options = { json: { help: 'prints one JSON object' } };
export const exitCodes = { 0: 'each step was as it must be', 1: 'one was not; the steps after it were not run' };

export async function run({ options: { json }, held, log }) {
  const { isKubernetesBuilt, startKubernetes } = await import('../infra/kubernetes.mjs');
  const { stepsOn } = await import('../checks/deployment-on-kubernetes.mjs');
  const script = (name) => held.run('sh', [resolve('deploy', name)], { onLine: log });
  if (!existsSync('.infra/deploy/python/bin/helm') || !existsSync('.infra/deploy/crds')) await script('fetch-tools.sh');
  if (!isKubernetesBuilt()) {
    log('building Kubernetes from its sources: about 15 minutes, once');
    await script('build-kubernetes.sh');
  }
  const steps = [];
  const tell = (step) => {
    steps.push(step);
    if (!json) console.log(`${step.ok ? 'ok     ' : 'FAILED '} ${step.name}: ${step.seen}`);
  };
  const cluster = await startKubernetes({ held, log });
  for (const { name, run: play } of stepsOn(cluster)) {
    try {
      tell({ name, ok: true, seen: await play() });
    } catch (error) {
      tell({ name, ok: false, seen: error.message });
      break;
    }
  }
  const ok = steps.every((step) => step.ok);
  if (json) console.log(JSON.stringify({ steps, ok }));
  return ok ? 0 : 1;
}
