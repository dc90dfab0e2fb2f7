export const description =
  'the chart, alerts and dashboards of deploy/, without a cluster, and the files of .github/: lint, schemas, tests of chart and alerts';
export const exitCodes = {
  0: 'nothing is wrong; tools that are missing are named, with what was skipped (deploy/fetch-tools.sh fetches them); the last line counts it',
  1: 'something is wrong; a line for each says what',
};

export async function run() {
  const { checkDeployment } = await import('../checks/deployment.mjs');
  const { faults, done, skipped } = checkDeployment();
  done.forEach((what) => console.log(`ok       ${what}`));
  skipped.forEach((what) => console.log(`skipped  ${what}`));
  faults.forEach((fault) => console.error(`FAILED   ${fault}`));
  console.log(lastLine({ faults, done, skipped }));
  return faults.length === 0 ? 0 : 1;
}

/** A check without its tool proves nothing, so the line also counts what was skipped. */
export function lastLine({ done, faults, skipped }) {
  const how = skipped.length > 0 ? ': `sh deploy/fetch-tools.sh` fetches the tools' : '';
  return `check-deploy: ${done.length} passed, ${faults.length} failed, skipped ${skipped.length}${how}`;
}
