import { Expected } from '../infra/processes.mjs';
import { Story } from './story.mjs';
import { timelineLines } from './timeline.mjs';

/** Plays all and prints them one after the other, in their order; those that are played beside others begin first. Resolves to what each gave. */
export async function playAll(scenarios, { print, ...how }) {
  const playQuietly = async (scenario) => {
    const lines = [];
    const result = await play(scenario, { ...how, print: (line) => lines.push(line) });
    return { result, lines };
  };
  const beside = new Map(scenarios.filter(({ isBeside }) => isBeside).map((one) => [one, playQuietly(one)]));
  for (const played of beside.values()) played.catch(() => undefined); // it rejects below, when its turn comes
  const results = [];
  for (const scenario of scenarios) {
    how.signal.throwIfAborted();
    if (scenario.isAlone) await Promise.all(beside.values());
    const { result, lines } = await (beside.get(scenario) ?? playQuietly(scenario));
    lines.forEach((line) => print(line));
    results.push(result);
  }
  return results;
}

/** Plays one scenario and prints its timeline; a failure is printed with what was expected and what was seen. */
export async function play({ name, title, play: playStory }, { stage, signal, print, colour }) {
  const startedMs = performance.now();
  const entries = [];
  let story;
  const note = (text, kind = 'note') => entries.push({ kind, text, atMs: performance.now() });
  const storyOf = (rail, orderId, merchant = 'shop-fr') =>
    (story = new Story({ ...stage, note, rail, merchant, orderId }));
  let failure;
  try {
    await playStory({ ...stage, story: storyOf });
    const unexpected = await stage.shop.next(story.merchant, story.orderId, story.followed, { timeoutMs: 0 });
    if (unexpected) throw new Expected(`one event too many: ${unexpected.type}`);
  } catch (error) {
    signal.throwIfAborted(); // after an abort the services are stopping, which is no failure of the scenario
    failure = error;
  }
  const arrivals = story ? stage.shop.arrivals(story.merchant, story.orderId) : [];
  const isAgain = (event, index) => arrivals.findIndex((other) => other.event.id === event.id) < index;
  entries.push(
    ...arrivals.map(({ event, atMs }, index) => ({ kind: 'event', event, atMs, isAgain: isAgain(event, index) })),
  );
  print(`\n${failure ? 'FAILED' : 'passed'}  ${title}${story ? `  (${story.merchant}/${story.orderId})` : ''}`);
  for (const entry of entries.sort((a, b) => a.atMs - b.atMs)) {
    const lines = timelineLines({ ...entry, elapsedMs: entry.atMs - startedMs }, { colour });
    lines.forEach((line) => print(line));
  }
  if (failure) print(`  ${failure instanceof Expected ? failure.message : failure.stack}`);
  if (failure) for (const line of stage.trouble.slice(-20)) print(`  ${line}`);
  const seen = failure ? arrivals.map(({ event }) => event) : story.followed;
  return { name, passed: failure === undefined, events: seen.map(({ type }) => type) };
}
