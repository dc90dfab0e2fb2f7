/**
 * `npm run demo`: from a fresh clone to payments played through on real Kafka, Redis and HTTP. `-- --json` ends with one JSON line,
 * `-- --keep` stays up and prints the addresses. `--merchants FILE`, `--accounts FILE`: others than the demo's, with the same names;
 * `--logs FOLDER`: all that each service prints, and its metrics at the end.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { SCENARIOS } from './demo/scenarios.mjs';
import { setStage } from './demo/stage.mjs';
import { Story } from './demo/story.mjs';
import { summary, timelineLines } from './demo/timeline.mjs';
import { startInfrastructure } from './infra.mjs';
import { Expected, runTool } from './processes.mjs';
import { createLog } from './progress.mjs';
import { addressLines } from './services.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    merchants: { type: 'string', default: 'config/merchants.demo.json' },
    accounts: { type: 'string', default: 'config/accounts.demo.json' },
    logs: { type: 'string' },
  },
});
const begun = performance.now();
const log = createLog();
const print = options.json ? (line) => console.error(line) : (line) => console.log(line);
const files = { merchantsFile: options.merchants, accountsFile: options.accounts, logsFolder: options.logs };

await runTool(
  async ({ held, signal }) => {
    const [infrastructure] = await Promise.all([startInfrastructure({ held, log }), bootstrap({ held, log })]);
    const stage = await setStage({ held, log, infrastructure, files });
    const results = [];
    for (const scenario of SCENARIOS) {
      signal.throwIfAborted();
      results.push(await play(scenario, stage, signal));
    }
    const result = summary(results, (performance.now() - begun) / 1000);
    print(`\n${result.passed} scenarios passed, ${result.failed} failed, ${result.seconds} s`);
    if (options.json) console.log(JSON.stringify(result));
    if (options.keep) await stage.travelHome();
    await stage.close();
    if (options.keep) await keep(stage, infrastructure);
    return result.failed === 0 ? 0 : 1;
  },
  { runsUntilStopped: options.keep },
);

/** Plays one scenario and prints its timeline; a failure is printed with what was expected and what was seen. */
async function play({ name, title, play: playStory }, stage, signal) {
  const startedMs = performance.now();
  const entries = [];
  let story;
  const tell = (text, kind = 'note') => entries.push({ kind, text, atMs: performance.now() });
  const storyOf = (rail, orderId, merchant = 'shop-fr') => (story = new Story({ ...stage, tell, rail, merchant, orderId }));
  let failure;
  try {
    await playStory({ ...stage, story: storyOf });
    const unexpected = await stage.shop.next(story.merchant, story.orderId, story.followed, { timeoutMs: 0 });
    if (unexpected) throw new Expected(`one event too many: ${unexpected.type}`);
  } catch (error) {
    signal.throwIfAborted(); // then the services are going away, and that is no failure of the scenario
    failure = error;
  }
  const arrivals = story ? stage.shop.arrivals(story.merchant, story.orderId) : [];
  const isAgain = (event, index) => arrivals.findIndex((other) => other.event.id === event.id) < index;
  entries.push(...arrivals.map(({ event, atMs }, index) => ({ kind: 'event', event, atMs, isAgain: isAgain(event, index) })));
  print(`\n${failure ? 'FAILED' : 'passed'}  ${title}${story ? `  (${story.merchant}/${story.orderId})` : ''}`);
  for (const entry of entries.sort((a, b) => a.atMs - b.atMs)) {
    const lines = timelineLines({ ...entry, elapsedMs: entry.atMs - startedMs }, { colour: !options.json && process.stdout.isTTY });
    lines.forEach((line) => print(line));
  }
  if (failure) print(`  ${failure instanceof Expected ? failure.message : failure.stack}`);
  if (failure) for (const line of stage.trouble.slice(-20)) print(`  ${line}`);
  const seen = failure ? arrivals.map(({ event }) => event) : story.followed;
  return { name, passed: failure === undefined, events: seen.map(({ type }) => type) };
}

async function keep({ services }, infrastructure) {
  for (const line of ['', ...addressLines(Object.values(services), infrastructure)]) print(line);
  log('running until Ctrl-C');
  await new Promise(() => setInterval(() => undefined, 60_000));
}
