import { setTimeout as delay } from 'node:timers/promises';
import { SCENARIOS } from '../demo/scenarios.mjs';
import { startStage } from '../demo/stage.mjs';
import { play } from '../demo/story.mjs';
import { wholeNumber } from './values.mjs';
import { INFRASTRUCTURE, LOGS } from './variables.mjs';

export const description =
  'plays ordinary payments for an hour, with a Prometheus that evaluates the alerts, and names each alert that fired';

export const options = {
  minutes: { value: 'N', help: 'for how long', default: '60', check: wholeNumber({ min: 1, max: 10_080 }) },
  ...LOGS,
};

export const variables = INFRASTRUCTURE;
export const exitCodes = {
  0: 'no alert fired',
  1: 'an alert fired, a payment went wrong, or something could not be started (deploy/fetch-tools.sh fetches Prometheus on Debian)',
};

/** The simulator has no metrics. The shop is no service of an installation, so no alert is about it. */
const WATCHED = {
  gateway: 'payment-gateway',
  ingest: 'notification-ingest',
  auth: 'auth-service',
  cse: 'cse-token-service',
};
const PAUSE_MS = 3_000;
/** Stories with a command that is rejected: one in so many is ordinary, every third would be a fault of the shop. */
const REJECTED = ['method-a-capture-refund', 'bad-command', 'back-office-refund'];
const REJECTED_EVERY = 40;

export async function run({ options: given, held, signal, log }) {
  const { startPrometheus } = await import('../checks/prometheus.mjs');
  const { stage } = await startStage({ held, log, files: given });
  const targets = Object.entries(WATCHED).map(([job, name]) => [job, stage.services[name].managementUrl]);
  const prometheus = await startPrometheus({ held, targets });
  const begunMs = Date.now();
  const untilMs = begunMs + Number(given.minutes) * 60_000;
  const all = SCENARIOS.filter(({ isAlone }) => !isAlone);
  const [rejected, rest] = [true, false].map((is) => all.filter(({ name }) => REJECTED.includes(name) === is));
  const storyOf = (at) =>
    at % REJECTED_EVERY === 0 ? rejected[(at / REJECTED_EVERY) % rejected.length] : rest[at % rest.length];
  let [payments, failed] = [0, 0];
  for (; Date.now() < untilMs; payments += 1) {
    const { name, passed } = await play(storyOf(payments), { stage, signal, print: () => undefined });
    if (!passed) log(`${name} went wrong`);
    failed += Number(!passed);
    if (payments % 100 === 99) log(`${payments + 1} payments`);
    await delay(PAUSE_MS, undefined, { signal });
  }
  const { scrapes, evaluated, broken, fired, pending } = await prometheus.alertsSince(begunMs);
  for (const line of [
    ...broken.map((one) => `BROKEN   ${one}`),
    ...pending.map((one) => `pending  ${one}`),
    ...fired.map((one) => `FIRED    ${one}`),
  ])
    console.log(line);
  const minutes = Math.round((Date.now() - begunMs) / 6_000) / 10;
  console.log(
    `watch-alerts: ${minutes} min, ${payments} payments, ${failed} went wrong, ${scrapes} scrapes, ${evaluated} rules evaluated, ${fired.length} alerts fired`,
  );
  await stage.close();
  return fired.length + broken.length + failed === 0 && scrapes > 0 ? 0 : 1;
}
