/** Plays the story of one order: sends commands, waits for events, checks each of them and the platform's ledger, and prints the timeline. */
import { Expected } from '../infra/processes.mjs';
import { money, timelineLines } from './timeline.mjs';

const run = Date.now().toString(36);
let orders = 0;

export class Story {
  followed = [];
  entries = [];

  constructor({ shop, platform }, { rail, goods, merchant = 'shop-fr' }) {
    // The id is also new on a platform that outlives the demo.
    Object.assign(this, { shop, platform, rail, merchant, orderId: `${goods}-${run}-${(orders += 1)}` });
  }

  note(text, kind = 'note') {
    this.entries.push({ kind, text, atMs: performance.now() });
  }

  /** The example of the contracts for this order, without its time limit. */
  exampleOf(type, change) {
    const { merchant, orderId } = this;
    return { ...this.shop.exampleOf(this.rail, type), notAfter: undefined, merchant, orderId, ...change };
  }

  async send(type, fields, options) {
    this.note(`${type} sent${fields.amount === undefined ? '' : `, ${money(fields.amount)}`}`, 'command');
    return this.shop.send(this.rail, type, { merchant: this.merchant, orderId: this.orderId, ...fields }, options);
  }

  /** Waits for the order's next event, which must be of this type and have these fields. */
  async next(type, fields = {}, options) {
    const event = await this.shop.next(this, options);
    const before = this.followed.map((one) => one.type);
    expectEqual(`events of ${this.orderId}`, [...before, type], [...before, ...(event ? [event.type] : [])]);
    const data = { ...event.data, faults: event.data.faults?.map(({ code }) => code) };
    expectEqual(type, fields, Object.fromEntries(Object.keys(fields).map((name) => [name, data[name]])));
    this.followed.push(event);
    return event;
  }

  /** Authorizes an order up to the cardholder's decision on the form. Resolves to the address to which the cardholder is sent back. */
  async redirect(decision = 'validate', what = 'the cardholder validates on the form') {
    await this.send('payment.authorize', this.exampleOf('payment.authorize'));
    const { data } = await this.next('payment.authorize.redirect_required', { execCode: '0002' });
    const returnAddress = await this.platform.decide(data.redirectHtml, decision);
    this.note(what);
    return returnAddress;
  }

  async authorize() {
    await this.redirect();
    return this.next('payment.authorize.succeeded', { origin: 'notification', extraData: 'basket=42' });
  }

  /** Checks what the platform executed, unless `executed` is undefined, and how often it was called for an operation. */
  async expectLedger(executed, calls = {}) {
    const ledger = await this.platform.ledger(this.orderId);
    const countsOf = (all, key) =>
      all.reduce((counts, { [key]: name }) => ({ ...counts, [name]: (counts[name] ?? 0) + 1 }), {});
    if (executed) expectEqual('executed by the platform', executed, countsOf(ledger.operations, 'operationType'));
    const called = countsOf(ledger.calls, 'operation');
    for (const [operation, times] of Object.entries(calls))
      expectEqual(`calls of ${operation}`, times, called[operation] ?? 0);
  }
}

export function expectEqual(what, expected, seen) {
  const [expectedText, seenText] = [JSON.stringify(expected), JSON.stringify(seen)];
  if (expectedText !== seenText) throw new Expected(`${what}: expected ${expectedText}, saw ${seenText}`);
}

/** Plays all together but those that are alone: they stop services or move clocks, so they come last, one by one. */
export async function playAll(scenarios, how) {
  const results = await Promise.all(scenarios.filter(({ isAlone }) => !isAlone).map((one) => play(one, how)));
  for (const scenario of scenarios.filter(({ isAlone }) => isAlone)) {
    how.signal.throwIfAborted();
    results.push(await play(scenario, how));
  }
  return results;
}

/** Plays one scenario and prints its timeline; a failure is printed with what was expected and what was seen. */
export async function play({ name, title, play: playStory, ...order }, { stage, signal, print }) {
  const startedMs = performance.now();
  const story = new Story(stage, order);
  let failure;
  try {
    await playStory(story, stage);
    const unexpected = await stage.shop.next(story, { timeoutMs: 0 });
    if (unexpected) throw new Expected(`one event too many: ${unexpected.type}`);
  } catch (error) {
    signal.throwIfAborted(); // after an abort the services are stopping, which is no failure of the scenario
    failure = error;
  }
  const arrivals = stage.shop.arrivals(story);
  const isAgain = ({ id }, index) => arrivals.findIndex(({ event }) => event.id === id) < index;
  const events = arrivals.map(({ event, atMs }, at) => ({ kind: 'event', event, atMs, isAgain: isAgain(event, at) }));
  const entries = [...story.entries, ...events].sort((a, b) => a.atMs - b.atMs);
  const lines = [
    `\n${failure ? 'FAILED' : 'passed'}  ${title}  (${story.merchant}/${story.orderId})`,
    ...entries.flatMap((entry) => timelineLines({ ...entry, elapsedMs: entry.atMs - startedMs })),
    ...(failure ? [failure instanceof Expected ? failure.message : failure.stack, ...stage.trouble.slice(-20)] : []),
  ];
  lines.forEach((line) => print(line));
  const seen = failure ? arrivals.map(({ event }) => event) : story.followed;
  return { name, passed: failure === undefined, events: seen.map(({ type }) => type) };
}
