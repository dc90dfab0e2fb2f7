import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { COMMAND_TOPICS, TOPICS, topicName } from '@tranche/contracts';
import { commitFor, committedOffsets, topicOffsets, type KafkaClient } from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import {
  assertSameJournal,
  JournalReplacedError,
  recordHash,
  recordsAfterLoss,
  recordWriter,
  type KeptLog,
  type Mark,
  type ResumeDecision,
} from '@tranche/order-journal';
import { errorText } from '@tranche/runtime';
import { ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { Clock, isoTime } from '../clock.js';
import { gatewayGroup, GatewayConfig } from '../gateway.config.js';
import { JournalDecisions } from '../decisions/journal-decisions.service.js';
import { JournalReaderConsumer } from './journal-reader.consumer.js';
import { JournalTopic } from './journal-topic.producer.js';
import { OrderIndexStore } from './order-index.store.js';

/** Killed members stay in the group until their session times out. */
const GROUP_EMPTY_WITHIN_MS = 90_000;
const ASK_AGAIN_MS = 2_000;
/** Records that are read first when the last record is searched; the last offsets may be transaction markers or compacted away. */
const TAIL_RECORDS = 100n;

interface Ends {
  low: bigint;
  high: bigint;
}

/**
 * Resumes a partition whose log was truncated or replaced, after two people approved it (R11, docs/decisions/0091): drops its index, and rebuilds it
 * and republishes events from the log. Runs at a start, before the journal is read.
 */
@Injectable()
export class JournalResume {
  readonly #topic: string;
  readonly #groupId: string;

  constructor(
    private readonly config: GatewayConfig,
    @InjectKafkaClient() private readonly client: KafkaClient,
    private readonly decisions: JournalDecisions,
    private readonly journal: JournalTopic,
    private readonly reader: JournalReaderConsumer,
    private readonly index: OrderIndexStore,
    private readonly clock: Clock,
    private readonly lifetime: ServiceLifetime,
    private readonly log: ServiceLogger,
  ) {
    this.#topic = topicName(config.kafkaTopicPrefix, TOPICS.journal);
    this.#groupId = gatewayGroup(config);
  }

  /** Describes the log that a resume would keep. */
  async keptLog(partition: number): Promise<KeptLog> {
    const { low, high } = await this.#endsOf(partition);
    // The last offsets may hold no record, so the range grows until one is found.
    for (let span = TAIL_RECORDS; ; span *= 10n) {
      const from = high - span > low ? high - span : low;
      let last: KeptLog['last'];
      for await (const records of this.reader.read(partition, from, high))
        for (const { offset, value } of records) last = { offset: String(offset), hash: recordHash(value) };
      if (last !== undefined || from === low) return { low: String(low), ...(last && { last }) };
    }
  }

  /** Ends of the command topics. Commands before these offsets may have been executed, although the journal lost their INTENT. */
  async commandEnds(): Promise<Record<string, string[]>> {
    const ends: Record<string, string[]> = {};
    for (const { name } of Object.values(COMMAND_TOPICS)) {
      const offsets = await topicOffsets(this.client, this.config.kafkaTopicPrefix + name);
      ends[name] = [...offsets].sort(([one], [other]) => one - other).map(([, { high }]) => String(high));
    }
    return ends;
  }

  /** True while the partition's log is the one that was proposed; it may have grown since. */
  async fits({ partition, log: { low, last } }: Pick<ResumeDecision, 'partition' | 'log'>): Promise<boolean> {
    const ends = await this.#endsOf(partition);
    if (String(ends.low) !== low) return false;
    if (last === undefined) return true;
    return this.#isSame(partition, { marker: BigInt(last.offset), hash: last.hash }, ends);
  }

  /** Applies approved resumes. Where one can't be applied, its partition stays stopped and the log gives the reason. */
  async apply(): Promise<void> {
    for (const decision of this.decisions.resumes.pending) {
      const { partition, id } = decision;
      try {
        const refusal = await this.#applied(decision);
        if (refusal === undefined) await this.decisions.applied(decision);
        else this.log.error({ partition, decision: id }, `Journal partition ${partition} does not go on: ${refusal}`);
      } catch (error) {
        this.lifetime.stopping.throwIfAborted();
        this.log.error(
          { partition, decision: id, error: errorText(error) },
          `Journal partition ${partition} does not go on: the decision could not be applied`,
        );
      }
    }
  }

  async #applied(decision: ResumeDecision): Promise<string | undefined> {
    const { partition, epoch, log } = decision;
    const mark = (await this.index.marks()).get(partition);
    const committed = (await committedOffsets(this.client, this.#groupId, this.#topic)).get(partition);
    const ends = await this.#endsOf(partition);
    if (!(await this.#isContradicted(partition, ends, mark, committed))) {
      this.log.warn({ partition }, 'The journal partition fits: the decision that it goes on is not needed');
      return undefined;
    }
    if (!(await this.fits(decision))) return 'its log is another one again than was decided about; propose it anew';
    if (this.config.journalEpoch <= epoch) return `set JOURNAL_EPOCH to ${epoch + 1} or more: sequences begin again`;
    await this.#doubtLostAttempts(partition, ends);
    await this.#publishFrom(partition, BigInt(log.low));
    await this.index.beginRebuild(partition, mark?.marker);
    this.log.warn(
      {
        partition,
        decision: decision.id,
        low: log.low,
        proposedBy: decision.proposedBy,
        approvedBy: decision.approvedBy,
      },
      `Journal partition ${partition} goes on with what is kept, as two people decided: its index is built anew, its events are published again`,
    );
    return undefined;
  }

  /** Must be the first step. Repeating it changes nothing; leaving it out could cause a second payment or a wrong outcome. */
  async #doubtLostAttempts(partition: number, { low, high }: Ends): Promise<void> {
    const write = recordWriter(this.config.rulesVersion);
    const range = { partition, from: low, until: high };
    const records = await recordsAfterLoss(this.reader, range, { at: isoTime(this.clock), newToken: randomUUID });
    for (const record of records) await this.journal.append(write(record));
  }

  /** Must run before the index is dropped: without an index, the old offset would be taken for one of the new log. */
  async #publishFrom(partition: number, offset: bigint): Promise<void> {
    const { client, clock, log } = this;
    const giveUpMs = clock.monotonicMs() + GROUP_EMPTY_WITHIN_MS;
    for (;;) {
      try {
        return await commitFor(client, this.#groupId, this.#topic, { partition, offset });
      } catch (error) {
        if (clock.monotonicMs() > giveUpMs) throw error;
        log.warn({ partition, error: errorText(error) }, 'Waiting until no other instance is running: stop them all');
        await clock.sleep(ASK_AGAIN_MS, this.lifetime.stopping);
      }
    }
  }

  /** Returns the reason for which a start would stop the partition (R1, R10, R11). */
  async #isContradicted(
    partition: number,
    ends: Ends,
    mark: Mark | undefined,
    committed: bigint | undefined,
  ): Promise<boolean> {
    if (mark !== undefined && !(await this.#isSame(partition, mark, ends))) return true;
    if (committed !== undefined && committed > ends.high) return true;
    const known = [committed, mark && mark.marker + 1n].filter((next) => next !== undefined);
    return known.length > 0 && known.every((next) => next < ends.low);
  }

  async #isSame(partition: number, mark: Mark, { high }: Ends): Promise<boolean> {
    if (mark.marker >= high) return false;
    return assertSameJournal(this.reader, partition, mark).then(
      () => true,
      (error: unknown) => {
        if (error instanceof JournalReplacedError) return false;
        throw error;
      },
    );
  }

  async #endsOf(partition: number): Promise<Ends> {
    const ends = (await this.journal.offsets()).get(partition);
    if (ends === undefined) throw new Error(`the journal has no partition ${partition}`);
    return ends;
  }
}
