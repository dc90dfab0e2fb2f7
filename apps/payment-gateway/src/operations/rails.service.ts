import { Injectable } from '@nestjs/common';
import {
  AmountSums,
  causeText,
  COMMAND_TOPICS,
  RAILS,
  topicName,
  type Rail,
  type StopCause,
  type WaitingCommands,
} from '@tranche/contracts';
import type { OperatorIdentity } from '@tranche/operators';
import { waitingRecords } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { RepeatedWork } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { KafkaParts } from '../gateway-kafka.module.js';
import { RailBreakers } from '../platform/rail-breakers.service.js';

/** Consumer group of the commands, without prefix. */
const GROUP = 'payment-gateway';
const READ_AT_MOST = 10_000;
/** A count opens a connection and reads all that waits, so each stopped rail is counted this often; a rail that just stopped, at once. */
const COUNT_EVERY_MS = 30_000;

export interface RailView {
  rail: Rail;
  state: 'running' | 'stopped';
  cause?: StopCause;
  says?: string;
  since?: string;
  /** Absent where the next command is tried. */
  nextTryAt?: string;
  /** Commands that wait on its topic, for all instances; absent before they were counted, and for an operator of some merchants only. */
  waiting?: WaitingCommands;
}

/** Counts the commands that wait for a stopped rail, and their money. */
@Injectable()
export class Rails extends RepeatedWork {
  protected readonly everyMs = 5_000;
  readonly #waiting = new Map<Rail, WaitingCommands>();
  /** Monotonic milliseconds of the last count of a stopped rail. */
  readonly #countedAtMs = new Map<Rail, number>();
  readonly #commands;
  readonly #money;

  constructor(
    private readonly config: GatewayConfig,
    private readonly breakers: RailBreakers,
    private readonly kafka: KafkaParts,
  ) {
    super();
    const { metrics } = kafka;
    this.#commands = metrics.gauge({
      name: 'tranche_rail_waiting_commands',
      help: 'Commands on the topic of a stopped rail that are not handled, for all instances: the same from each',
      labelNames: ['rail'],
    });
    this.#money = metrics.gauge({
      name: 'tranche_rail_waiting_minor_units',
      help: 'Amounts that they name, in minor units by currency; not_named where neither command nor merchant tells it',
      labelNames: ['rail', 'currency'],
    });
  }

  views({ merchants }: Pick<OperatorIdentity, 'merchants'>): RailView[] {
    const stopped = new Map(this.breakers.stopped.map((stop) => [stop.rail, stop]));
    return RAILS.map((rail) => {
      const stop = stopped.get(rail);
      if (stop === undefined) return { rail, state: 'running' };
      const { cause, sinceMs, nextTryMs } = stop;
      const waiting = merchants === undefined ? this.#waiting.get(rail) : undefined;
      return {
        rail,
        state: 'stopped',
        cause,
        says: causeText(cause),
        since: new Date(sinceMs).toISOString(),
        ...(nextTryMs === undefined ? {} : { nextTryAt: new Date(nextTryMs).toISOString() }),
        ...(waiting && { waiting }),
      };
    });
  }

  /** Never rejects: what could not be counted keeps its last value. */
  protected async run(): Promise<void> {
    const stopped = this.breakers.stopped.map(({ rail }) => rail);
    for (const rail of RAILS.filter((one) => !stopped.includes(one)))
      for (const known of [this.#waiting, this.#countedAtMs]) known.delete(rail);
    const nowMs = performance.now();
    for (const rail of stopped.filter((one) => nowMs - (this.#countedAtMs.get(one) ?? -Infinity) >= COUNT_EVERY_MS))
      await this.#count(rail).catch((err: unknown) =>
        this.kafka.log.debug({ err, rail }, 'What waits for a stopped rail could not be counted'),
      );
    this.#commands.reset();
    this.#money.reset();
    for (const [rail, { commands, money }] of this.#waiting) {
      this.#commands.set({ rail }, commands);
      for (const { currency, amount } of money) this.#money.set({ rail, currency }, amount);
    }
  }

  async #count(rail: Rail): Promise<void> {
    this.#countedAtMs.set(rail, performance.now());
    const { kafkaTopicPrefix: prefix, merchants } = this.config;
    const topic = topicName(prefix, COMMAND_TOPICS[rail]);
    const sums = new AmountSums(merchants);
    const question = { groupId: prefix + GROUP, topic, readAtMost: READ_AT_MOST, log: silentLog };
    const found = await waitingRecords(this.kafka.client, question, (record) => sums.add(record));
    this.#waiting.set(rail, sums.result(found));
  }
}
