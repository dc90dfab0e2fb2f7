import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  commandSignatureProblem,
  isPlainObject,
  orderKey,
  parseOrderKey,
  railOfTopic,
  TOPICS,
  topicName,
  type Rail,
} from '@tranche/contracts';
import { LogReader, type LogRecord } from '@tranche/kafka';
import { assertMerchant, type OperatorIdentity } from '@tranche/operators';
import { journalPartition } from '@tranche/order-journal';
import { Problem } from '@tranche/service-kit';
import { IsBoolean, IsInt, IsObject, IsString, Length, Matches, Min } from 'class-validator';
import { Clock } from '../clock.js';
import { readCommand, type AcceptedCommand } from '../command/accepted-command.js';
import { given, Reason } from '../decisions/manual-resolution.js';
import { KafkaParts, RelayProducer } from '../gateway-kafka.module.js';
import { GatewayConfig } from '../gateway.config.js';
import { Journal } from '../journal/journal.service.js';
import { Recovery } from '../journal/recovery.service.js';
import { judgeReplay, notReplayable, type JudgedReplay } from './replay.js';

export class ReplayRequest {
  /** Topic of the dead letter, with or without the prefix. */
  @IsString()
  @Length(1, 249)
  topic: string;

  @IsInt()
  @Min(0)
  partition: number;

  @Matches(/^\d{1,19}$/, { message: 'must be an offset' })
  offset: string;

  /** A mended CloudEvent in structured mode, in place of what the dead letter has. */
  @given('command')
  @IsObject()
  command?: Record<string, unknown>;

  @Reason()
  reason: string;

  /** Publishes it although the verdict is `too-old`. */
  @given('evenIfOld')
  @IsBoolean()
  evenIfOld?: boolean;
}

export interface ReplayAnswer extends JudgedReplay {
  merchant: string;
  orderId: string;
  commandId: string;
  /** Absent where it was only judged. */
  published?: { topic: string; partition: number };
}

/** A command as it would be published again. */
interface Letter extends Pick<LogRecord, 'value' | 'headers'> {
  key: string;
  /** When the broker took the dead letter's record; NaN where it does not say. */
  appendedMs: number;
  /** Without the prefix. */
  topic: string;
  rail: Rail;
}

const ADDED = 'dead-letter-';
const READ_AT_ONCE = 32n;
const KNOWN_FOR_MS = 10_000;

/** Publishes commands again that became dead letters, where their orders allow it. */
@Injectable()
export class Replays implements OnApplicationShutdown {
  readonly #reader: LogReader;
  readonly #topic: string;
  /** The latest read. The reader takes one at a time of a partition. */
  #reading: Promise<unknown> = Promise.resolve();
  /** It found these: a plan asks for one letter after the other, and each read costs several answers of Kafka. */
  #found = { partition: -1, records: [] as LogRecord[], atMs: 0 };

  constructor(
    private readonly config: GatewayConfig,
    private readonly kafka: KafkaParts,
    private readonly producer: RelayProducer,
    private readonly journal: Journal,
    private readonly recovery: Recovery,
    private readonly clock: Clock,
  ) {
    const { client, log } = kafka;
    this.#topic = topicName(config.kafkaTopicPrefix, TOPICS.commandsDeadLetter);
    this.#reader = new LogReader({ client, topic: this.#topic, log, takesUnreadable: true });
  }

  async judge(request: ReplayRequest, operator: OperatorIdentity): Promise<ReplayAnswer> {
    return (await this.#judged(request, operator)).answer;
  }

  /** @throws Problem for a verdict that does not allow it */
  async replay(request: ReplayRequest, operator: OperatorIdentity): Promise<ReplayAnswer> {
    const { letter, answer } = await this.#judged(request, operator);
    const { verdict, why } = answer;
    const isAllowed = verdict === 'attempt' || verdict === 'repeat' || (verdict === 'too-old' && request.evenIfOld);
    if (!isAllowed) throw new Problem({ status: 409, code: 'not_replayed', detail: `${verdict}: ${why}` });
    const published = { topic: this.config.kafkaTopicPrefix + letter.topic, partition: journalPartition(letter.key) };
    try {
      const { key, value, headers } = letter;
      await this.producer.send({ ...published, key, value, headers });
    } catch (cause) {
      const detail = 'It is not known if it was published. Ask again: a command that came twice is executed once.';
      throw new Problem({ status: 503, code: 'replay_not_confirmed', detail, cause });
    }
    this.kafka.log.info({ ...answer, operator: operator.person }, 'A dead letter was published again');
    return { ...answer, published };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#reader.close();
  }

  async #judged(request: ReplayRequest, operator: OperatorIdentity): Promise<{ letter: Letter; answer: ReplayAnswer }> {
    const found = await this.#deadLetter(request);
    const before = parseOrderKey(found.key ?? '');
    // Nobody is told anything of another merchant's letter, nor that it is one.
    if (before !== undefined) assertMerchant(operator, before.merchant);
    const letter = this.#letterOf(found, request.command);
    const named = parseOrderKey(letter.key);
    if (named === undefined) throw notReplayable('It names no order. Send a mended command.');
    assertMerchant(operator, named.merchant);
    const command = await this.#accepted(letter);
    const { commandId, timeMs } = command;
    const order = await this.#available(this.journal.read(named.merchant, named.orderId));
    const isBeforeResume = this.recovery.resumes.isBefore(letter.key, { commandId, timeMs });
    const judged = judgeReplay(order, command, { nowMs: this.clock.nowMs(), isBeforeResume });
    return { letter, answer: { ...judged, ...named, commandId } };
  }

  async #deadLetter({ topic, partition, offset: text }: ReplayRequest): Promise<LogRecord> {
    const offset = BigInt(text);
    if (topic === this.#topic || topic === TOPICS.commandsDeadLetter.name) {
      const read = this.#reading.then(() => this.#known(partition, offset) ?? this.#read(partition, offset));
      this.#reading = read.catch(() => undefined);
      const found = await this.#available(read);
      if (found !== undefined) return found;
    }
    const detail = `${this.#topic} has no record at this place any more.`;
    throw new Problem({ status: 404, code: 'dead_letter_unknown', detail });
  }

  #known(partition: number, offset: bigint): LogRecord | undefined {
    const { records, atMs, ...of } = this.#found;
    const isOfIt = of.partition === partition && performance.now() - atMs < KNOWN_FOR_MS;
    return isOfIt ? records.find((record) => record.offset === offset) : undefined;
  }

  async #read(partition: number, offset: bigint): Promise<LogRecord | undefined> {
    const { low, high } = await this.#reader.bounds(partition);
    if (offset < low || offset >= high) return undefined;
    const until = offset + READ_AT_ONCE < high ? offset + READ_AT_ONCE : high;
    const records: LogRecord[] = [];
    for await (const slice of this.#reader.read(partition, offset, until)) records.push(...slice);
    this.#found = { partition, records, atMs: performance.now() };
    return this.#known(partition, offset);
  }

  /** The mended command goes to the rail on which the dead letter was, and stays with its merchant. */
  #letterOf({ key, value, headers, unreadable }: LogRecord, mended: ReplayRequest['command']): Letter {
    const { kafkaTopicPrefix: prefix } = this.config;
    const topic = (headers['dead-letter-topic'] ?? '').slice(prefix.length);
    const rail = railOfTopic(topic);
    if (rail === undefined || unreadable !== undefined) throw notReplayable('It is no dead letter of a command topic.');
    const place = { topic, rail, appendedMs: Number(headers['dead-letter-timestamp'] ?? NaN) };
    if (mended === undefined) {
      const withheld = headers['dead-letter-withheld'];
      if (key === null || value === null || withheld !== undefined)
        throw notReplayable('The dead letter lacks what might have been card data. Send a mended command.');
      const own = Object.entries(headers).filter(([name]) => !name.startsWith(ADDED));
      return { ...place, key, value, headers: Object.fromEntries(own) };
    }
    const { merchant, orderId } = isPlainObject(mended.data) ? mended.data : {};
    const named = orderKey(String(merchant), String(orderId));
    const before = parseOrderKey(key ?? '')?.merchant;
    if (before !== undefined && parseOrderKey(named)?.merchant !== before)
      throw notReplayable('The mended command is of another merchant than the dead letter.');
    const ofValue = { 'content-type': 'application/cloudevents+json' };
    return { ...place, key: named, value: Buffer.from(JSON.stringify(mended)), headers: ofValue };
  }

  /**
   * Reads it as a record of now, and as old as the dead letter's.
   * @throws Problem with the faults of a command that would become a dead letter, or be rejected, once more
   */
  async #accepted({ rail, appendedMs, ...letter }: Letter): Promise<AcceptedCommand> {
    const record = { ...letter, timestampMs: this.clock.nowMs() };
    const { merchants, kafkaTopicPrefix, environmentId } = this.config;
    const read = readCommand(record, rail, merchants);
    if (read.read !== 'accepted') {
      const faults = read.read === 'rejected' ? read.rejection.faults : read.faults;
      const detail = 'It would be refused once more, see faults. Send a mended command.';
      throw new Problem({ status: 409, code: 'not_replayable', detail, faults });
    }
    const signed = { ...record, topic: kafkaTopicPrefix + record.topic };
    const checked = await commandSignatureProblem(signed, read.command.merchant, environmentId);
    if (checked !== undefined && checked !== 'verified')
      throw notReplayable(`No key of the merchant has signed it (${checked}): its publisher must publish it again.`);
    return Number.isNaN(appendedMs) ? read.command : { ...read.command, appendedMs };
  }

  #available<T>(work: Promise<T>): Promise<T> {
    return work.catch((cause: unknown) => {
      const detail = 'The dead letter or its order can not be read now. Try again later.';
      throw new Problem({ status: 503, code: 'unavailable', detail, cause });
    });
  }
}
