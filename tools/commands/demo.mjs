import { playAll } from '../demo/play.mjs';
import { SCENARIOS } from '../demo/scenarios.mjs';
import { makeTopics, setStage } from '../demo/stage.mjs';
import { summary } from '../demo/timeline.mjs';
import { bootstrap, SERVICES_ONLY } from '../infra/bootstrap.mjs';
import { startInfrastructure } from '../infra/infrastructure.mjs';
import { stackPorts } from '../infra/service-ports.mjs';
import { addressLines } from '../infra/services.mjs';
import { jsonFile, writableFolder } from './values.mjs';
import { INFRASTRUCTURE, SERVICE_PORTS } from './variables.mjs';

export const description =
  'plays payments on a real Kafka and a real Redis, from a fresh clone on, and prints the timeline of each';

export const options = {
  json: { help: 'ends with one JSON line; all else goes to stderr' },
  keep: { help: 'stays up until Ctrl-C and prints the addresses' },
  merchants: {
    value: 'FILE',
    help: "others than the demo's, with the same names",
    default: 'config/merchants.demo.json',
    check: jsonFile,
  },
  accounts: {
    value: 'FILE',
    help: "others than the demo's, with the same names",
    default: 'config/accounts.demo.json',
    check: jsonFile,
  },
  logs: {
    value: 'FOLDER',
    help: 'keeps there all that each service prints, and its metrics at the end',
    check: writableFolder,
  },
};

/** A service without a variable gets a free port. */
export const variables = { ...INFRASTRUCTURE, ...SERVICE_PORTS };
export const exitCodes = {
  0: 'every scenario passed, or with --keep it was stopped',
  1: 'a scenario failed, or something could not be started',
};

export const runsUntilStopped = ({ keep: isKept }) => isKept;

export async function run({ options: given, held, signal, log }) {
  const begun = performance.now();
  const print = given.json ? (line) => console.error(line) : (line) => console.log(line);
  const colour = !given.json && process.stdout.isTTY;
  const files = { merchantsFile: given.merchants, accountsFile: given.accounts, logsFolder: given.logs };
  const starting = startInfrastructure({ held, log });
  const making = async () => makeTopics(await starting, { log });
  const [infrastructure, { compiled: access }] = await Promise.all([
    starting,
    bootstrap({ held, log, projects: SERVICES_ONLY, whenCompiled: making }),
  ]);
  const { services: ports } = await stackPorts(process.env, { isAnyFree: true });
  const stage = await setStage({ held, log, infrastructure, files, ports, access });
  const results = await playAll(SCENARIOS, { stage, signal, print, colour });
  const result = summary(results, (performance.now() - begun) / 1000);
  print(`\n${result.passed} scenarios passed, ${result.failed} failed, ${result.seconds} s`);
  if (given.json) console.log(JSON.stringify(result));
  if (given.keep) await stage.travelHome();
  await stage.close();
  if (given.keep) await keep(stage, infrastructure, { print, log });
  return result.failed === 0 ? 0 : 1;
}

async function keep({ services }, infrastructure, { print, log }) {
  for (const line of ['', ...addressLines(Object.values(services), infrastructure)]) print(line);
  log('running until Ctrl-C');
  await new Promise(() => setInterval(() => undefined, 60_000));
}
