import { openDrillPage } from '../demo/drill-page.mjs';
import { SCENARIOS } from '../demo/scenarios.mjs';
import { startStage } from '../demo/stage.mjs';
import { playAll } from '../demo/story.mjs';
import { addressLines, drillSettings } from '../infra/services.mjs';
import { jsonFile } from './values.mjs';
import { DATABASE, INFRASTRUCTURE, LOGS } from './variables.mjs';

export const description =
  'plays payments on a real Kafka and a real Redis, from a fresh clone on, and prints the timeline of each';

const others = (file) => ({
  value: 'FILE',
  help: "others than the demo's, with the same names",
  default: file,
  check: jsonFile,
});

export const options = {
  json: { help: 'ends with one JSON line; all else goes to stderr' },
  keep: { help: 'stays up until Ctrl-C and prints the addresses' },
  merchants: others('config/merchants.demo.json'),
  accounts: others('config/accounts.demo.json'),
  ...LOGS,
};

export const variables = { ...INFRASTRUCTURE, ...DATABASE };
export const exitCodes = {
  0: 'every scenario passed, or with --keep it was stopped',
  1: 'a scenario failed, or something could not be started',
};

export const runsUntilStopped = ({ keep: isKept }) => isKept;

export async function run({ options: given, held, signal, log }) {
  const begun = performance.now();
  const print = given.json ? (line) => console.error(line) : (line) => console.log(line);
  const { infrastructure, stage } = await startStage({ held, log, files: given });
  const scenarios = await playAll(SCENARIOS, { stage, signal, print });
  const passed = scenarios.filter((one) => one.passed).length;
  const failed = scenarios.length - passed;
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  print(`\n${passed} scenarios passed, ${failed} failed, ${seconds} s`);
  if (given.json) console.log(JSON.stringify({ scenarios, passed, failed, seconds }));
  if (given.keep) await stage.travelHome();
  await stage.close();
  if (given.keep) await keep(stage, infrastructure, { print, log });
  return failed === 0 ? 0 : 1;
}

async function keep({ services }, infrastructure, { print, log }) {
  const all = Object.values(services);
  const settings = drillSettings(all, infrastructure);
  const drillPage = settings && (await openDrillPage(settings));
  for (const line of ['', ...addressLines(all, infrastructure, drillPage)]) print(line);
  log('running until Ctrl-C');
  await new Promise(() => setInterval(() => undefined, 60_000));
}
