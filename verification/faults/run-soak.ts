import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@tranche/testing';
import { rateOf } from '../bench/rate.js';
import { withProgress } from '../figures.js';
import type { Given } from '../seed.js';
import { Random } from '../simulation/random.js';
import { Infrastructure, type CommandLines } from './infrastructure.js';
import { Load } from './load.js';
import { bookOf } from './referee-book.js';
import { refereeOf } from './referee.js';
import { booksOf, type PlayedFault, type TimedCommand } from './soak-figures.js';
import { timetableOf, type PlannedFault, type SoakFault } from './soak-plan.js';
import { reportOfSoak, tableOfSoak, type JudgedSlot } from './soak-report.js';
import { SoakWorld } from './soak-world.js';
import { Stage } from './stage.js';
import { STORY_NAMES } from './stories.js';
import { readTraces } from './traces-reader.js';

/** They are longer than in the other campaigns: at 60 % of its capacity a machine is busy, and would make doubts and rebalances of its own. */
const GATEWAY = { PLATFORM_TIMEOUT_MS: '5000', DOUBT_GRACE_MS: '3000', KAFKA_SESSION_TIMEOUT_MS: '6000' };
/** In this story the platform itself is in doubt for seconds. */
const STORIES = STORY_NAMES.filter((name) => name !== 'in-doubt');
const MINUTE_MS = 60_000;
/** The orders of so many milliseconds are judged together, so that neither we nor the platform must keep all of them. */
const SLOT_MS = 30_000;
const SETTLE_MS = 120_000;
/** A fault that took too long is followed by this time at least. */
const RECOVERS_MS = 20_000;
const SAMPLE_MS = 5_000;
/** Fewer commands are open than come in this time. */
const CALM_SECONDS = 3;
const SHOWN_WITHIN_MS = 30_000;
const SHARE_OF_CAPACITY = 0.6;
/** The platform simulator keeps 30,000 notifications at least, and a slot is judged within 90 s. */
const MOST_PER_SECOND = 300;
/** Orders whose commands come all at once: first for V8 to compile what is hot, then to be measured. */
const ROUNDS = [300, 600];
const MEASURED_MS = 30_000;
/** An order of these stories has so many commands. */
const COMMANDS_PER_ORDER = 2.8;

interface SoakOptions extends Given {
  minutes: number;
  /** Commands a second, in place of 60 % of what is measured. */
  rate?: number;
  /** Root of a built clone of another release. */
  beside?: string;
  markdown: boolean;
}

/** Plays a fault a minute against a steady load. Resolves to the exit code. */
export async function runSoak(options: SoakOptions, lines: CommandLines): Promise<number> {
  const { DATABASE_URL, RULES_VERSION } = process.env;
  if (!DATABASE_URL) throw new Error('DATABASE_URL must be set, or use: npm run faults -- --soak 30');
  const infrastructure = new Infrastructure(lines);
  try {
    await infrastructure.start();
    const stage = await Stage.open({
      ...{ infrastructure, topicPrefix: `faults-${process.pid}-${options.seed}.` },
      ...{ orderPrefix: `s${options.seed}-`, random: new Random(options.seed) },
      settings: { gateway: { ...GATEWAY, ...(RULES_VERSION && { RULES_VERSION }) } },
    });
    const world = new SoakWorld(stage, DATABASE_URL, options.beside);
    try {
      await world.start();
      return await new Soak(options, stage, world).run();
    } finally {
      await world.close();
    }
  } finally {
    await infrastructure.stop();
  }
}

class Soak {
  readonly #judged: JudgedSlot[] = [];
  readonly #loads = new Set<Load>();
  readonly #faults: PlayedFault[] = [];
  readonly #troubles: string[] = [];
  /** When the first event of a command came. */
  readonly #answers = new Map<string, number>();
  #arrivals = 0;
  #orders = 0;
  #underWay: SoakFault | undefined;

  constructor(
    private readonly options: SoakOptions,
    private readonly stage: Stage,
    private readonly world: SoakWorld,
  ) {}

  async run(): Promise<number> {
    const { options, stage, world } = this;
    const { minutes, seed } = options;
    const capacity = options.rate === undefined ? await this.#capacity() : undefined;
    const wanted = Math.min(options.rate ?? (capacity ?? 0) * SHARE_OF_CAPACITY, MOST_PER_SECOND);
    console.error(`${wanted.toFixed(1)} commands a second, for ${minutes} minutes, with a fault in each`);
    const beganMs = Date.now();
    const endsMs = beganMs + minutes * MINUTE_MS;
    const before = this.#counted().answered;
    const slots = Array.from({ length: (minutes * MINUTE_MS) / SLOT_MS }, (_, at) => at);
    const play = () =>
      Promise.all([
        this.#play(timetableOf(minutes, seed), beganMs),
        this.#sampled(endsMs, wanted),
        ...slots.map((at) => this.#slot(String(at), wanted / COMMANDS_PER_ORDER, beganMs + at * SLOT_MS)),
      ]);
    let said = { answered: before, atMs: beganMs };
    const progress = () => {
      const { answered, open } = this.#counted();
      const [nowMs, then] = [Date.now(), said];
      said = { answered, atMs: nowMs };
      const rate = ((answered - then.answered) * 1_000) / Math.max(1, nowMs - then.atMs);
      return `${((nowMs - beganMs) / MINUTE_MS).toFixed(1)} of ${minutes} min: ${rate.toFixed(0)} commands/s answered, ${open} in flight, fault: ${this.#underWay ?? 'none'}`;
    };
    await withProgress(progress, play);
    await world.sample(this.#orders, true);
    const { size } = stage.infrastructure.kafka!;
    const report = reportOfSoak({
      ...{ seed, minutes, brokers: size > 1 ? size : undefined, wanted, capacity, beganMs, endsMs },
      ...{ slots: this.#judged, faults: this.#faults, measured: world.measured },
      troubles: [...this.#troubles, ...stage.crashed],
    });
    if (report.broken.length > 0) for (const line of world.warnings) console.error(line.slice(0, 300));
    if (options.markdown) console.log(tableOfSoak(report, true));
    else console.error(tableOfSoak(report, false));
    if (options.json) console.log(JSON.stringify(report));
    return report.broken.length === 0 ? 0 : 1;
  }

  /** Commands a second when the gateways always have some to do, with all that goes with the orders beside them. */
  async #capacity(): Promise<number> {
    let perSecond = 0;
    for (const [round, orders] of ROUNDS.entries()) {
      const before = this.#counted().answered;
      const done = () => this.#counted().answered - before;
      const playing = this.#slot(`r${round}`, (orders * 1_000) / SLOT_MS, Date.now(), true);
      perSecond = (await rateOf({ done, total: orders * 2, timeBoxMs: MEASURED_MS })).perSecond;
      await playing;
    }
    console.error(`capacity: ${perSecond.toFixed(1)} commands a second`);
    return perSecond;
  }

  /** Plays the orders of one slot to their end, and judges them. */
  async #slot(name: string, ordersPerSecond: number, atMs: number, isAtOnce = false): Promise<void> {
    const { stage, world, options } = this;
    const { client, simulator } = stage;
    await delay(Math.max(0, atMs - Date.now()));
    const from = world.topicEnds;
    const orderPrefix = `${stage.options.orderPrefix}${name}-`;
    const traced = { client, topicPrefix: stage.options.topicPrefix, simulatorUrl: simulator.url, orderPrefix };
    const orders = Math.max(1, Math.round((ordersPerSecond * SLOT_MS) / 1_000));
    const perSecond = isAtOnce ? 1_000_000 : ordersPerSecond;
    const random = new Random(options.seed + 2 ** 40 + this.#orders);
    this.#orders += orders;
    const load = new Load({ ...traced, random, orders, perSecond, stories: STORIES, events: world.events });
    this.#loads.add(load);
    try {
      load.start();
      await load.allTold();
      await load.settled(SETTLE_MS);
    } catch (error) {
      this.#troubles.push(`orders ${orderPrefix}: ${(error as Error).message}`);
    }
    try {
      const { commands } = load;
      const read = () => readTraces({ ...traced, commands, from });
      const traces = await waitFor(read, { timeoutMs: SETTLE_MS, what: 'the traces' });
      const book = bookOf(traces);
      const books = async () => booksOf(book.orders.values(), await world.rowsOf(orderPrefix));
      const areEqual = async () => (await books()).differences.length === 0;
      await waitFor(areEqual, { timeoutMs: SHOWN_WITHIN_MS, pollMs: 500, what: 'equal books' }).catch(() => undefined);
      this.#judged.push({
        ...{ verdict: refereeOf(traces), books: await books(), isMeasured: !isAtOnce, commands: this.#timed(commands) },
      });
    } catch (error) {
      this.#troubles.push(`orders ${orderPrefix} could not be judged: ${(error as Error).message}`);
    }
    this.#loads.delete(load);
    world.events.forget(orderPrefix);
    await load.close();
  }

  /** Each command once: a copy of one that was answered waits for no event of its own. */
  #timed(commands: Load['commands']): TimedCommand[] {
    this.#counted();
    const first = new Map(commands.toReversed().map((command) => [command.id, command]));
    return [...first.values()].map(({ id, sentAtMs }) => ({
      sentAtMs,
      answeredAtMs: this.#answers.get(id) ?? Infinity,
    }));
  }

  async #play(timetable: readonly PlannedFault[], beganMs: number): Promise<void> {
    for (const planned of timetable) {
      const lastMs = this.#faults.at(-1)?.endedMs ?? 0;
      await delay(Math.max(0, beganMs + planned.atMs - Date.now(), lastMs + RECOVERS_MS - Date.now()));
      this.#underWay = planned.fault;
      const faultBeganMs = Date.now();
      const detail = await this.world.play(planned.fault).catch((error: unknown) => {
        this.#troubles.push(`${planned.fault}: ${String(error)}`);
        return 'could not be played';
      });
      this.#faults.push({ ...planned, detail, beganMs: faultBeganMs, endedMs: Date.now() });
      this.#underWay = undefined;
      console.error(`fault: ${planned.fault} (${detail}), ${((Date.now() - faultBeganMs) / 1_000).toFixed(1)} s`);
    }
  }

  async #sampled(untilMs: number, wanted: number): Promise<void> {
    while (Date.now() < untilMs) {
      const isCalm = this.#underWay === undefined && this.#counted().open <= CALM_SECONDS * wanted;
      await this.world.sample(this.#orders, isCalm);
      await delay(SAMPLE_MS);
    }
  }

  #counted(): { answered: number; open: number } {
    const { arrivals } = this.world.events;
    for (; this.#arrivals < arrivals.length; this.#arrivals++) {
      const { commandId, atMs } = arrivals[this.#arrivals]!;
      if (commandId !== undefined && !this.#answers.has(commandId)) this.#answers.set(commandId, atMs);
    }
    const open = [...this.#loads].flatMap(({ commands }) => commands.filter(({ id }) => !this.#answers.has(id)));
    return { answered: this.#answers.size, open: open.length };
  }
}
