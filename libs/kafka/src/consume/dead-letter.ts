import { holdsHiddenCardData, isCardFieldName, isCryptogramName, isUnmasked } from '@tranche/contracts';
import type { BatchingProducer } from '../produce/batching-producer.js';
import type { ProducerRecord } from '../produce/produce-batch.js';
import { isSeveral } from '../kafkajs/record-headers.js';
import { type ConsumedRecord, type HeaderValue, allHeaders } from '../core/record.js';
import { type Log, reasonOf } from '@tranche/runtime';
import { RecordTooLargeError } from '../errors.js';
import type { KafkaMetrics } from '../kafka-metrics.js';
import type { Task } from '../core/key-ordered-work.js';
import type { Assignment } from '../core/group-port.js';

export interface DeadLetterReason {
  /** Stable code for programs. */
  code: string;
  /** Text for people. Must not contain a value from the record, which may be a card number. */
  message: string;
  attempts: number;
}

/**
 * Builds a dead letter: the original bytes and headers, plus the origin and the reason. Nobody has validated the record, so a key, value or
 * header that may hold a card number or CVV is left out, and `dead-letter-withheld` names it. The same holds for content that has digits
 * but is not JSON, because we cannot judge it, and for content beyond `MAX_SEARCHED_BYTES`. The original record remains in its topic at the
 * given offset.
 */
export function deadLetter(
  topic: string,
  originalTopic: string,
  record: ConsumedRecord,
  reason: DeadLetterReason,
): ProducerRecord {
  let searchedBytes = 0;
  const isTooLong = (...texts: readonly HeaderValue[]) => {
    const bytes = texts.reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), searchedBytes);
    if (bytes <= MAX_SEARCHED_BYTES) searchedBytes = bytes;
    return bytes > MAX_SEARCHED_BYTES;
  };
  const withheldKey =
    record.rawKey !== null && (isTooLong(record.rawKey) || isCardText(record.rawKey.toString('utf8')));
  const headers = Object.entries(allHeaders(record));
  const kept = headers.filter(([name, given]) => {
    const values = isSeveral(given) ? given : [given];
    return !isTooLong(name, ...values) && !isCardText(name) && !isCardHeader(name, values);
  });
  const withheldValue = record.value !== null && (isTooLong(record.value) || isCardContent(record.value));
  const withheld = [
    ...(withheldKey ? ['key'] : []),
    ...(withheldValue ? ['value'] : []),
    ...(kept.length < headers.length ? ['headers'] : []),
  ];
  return {
    topic,
    key: withheldKey ? null : record.rawKey,
    value: withheldValue ? null : record.value,
    headers: {
      ...Object.fromEntries(kept),
      'dead-letter-topic': originalTopic,
      'dead-letter-partition': String(record.partition),
      'dead-letter-offset': String(record.offset),
      'dead-letter-timestamp': String(record.timestampMs),
      'dead-letter-code': reason.code,
      'dead-letter-message': reason.message.slice(0, 500),
      'dead-letter-attempts': String(reason.attempts),
      ...(withheld.length === 0 ? {} : { 'dead-letter-withheld': withheld.join(' ') }),
    },
  };
}

const DIGIT = /\p{Nd}/u;
/** Bound for key, headers and value together, in this order. A search of 1 MiB may block the process for 1.5 s. */
const MAX_SEARCHED_BYTES = 64 * 1024;
/** Our own messages are nested less deeply. */
const MAX_DEPTH = 20;

function isCardContent(value: Buffer): boolean {
  const text = value.toString('utf8');
  if (!DIGIT.test(text)) return false;
  // The raw text is searched as well, because JSON.parse keeps only the last of several equal names.
  if (isCardText(text) || isDeep(text)) return true;
  try {
    return holdsCardField(JSON.parse(text));
  } catch {
    return true;
  }
}

/** Checked before the text is parsed: a million open brackets would become a million arrays. */
function isDeep(text: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length && depth <= MAX_DEPTH; at++) {
    const character = text[at];
    if (character === '"') isInText = !isInText;
    else if (isInText) at += character === '\\' ? 1 : 0;
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
  }
  return depth > MAX_DEPTH;
}

function holdsCardField(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, child]) => isCardField(name, child) || holdsCardField(child));
}

function isCardHeader(name: string, values: readonly HeaderValue[]): boolean {
  return values.some((value) => {
    const text = value?.toString() ?? '';
    return isCardText(text) || isCardField(name, text);
  });
}

function isCardField(name: string, value: unknown): boolean {
  const isCryptogram = isCryptogramName(name);
  if (!isCryptogram && !isCardFieldName(name)) return false;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return isCryptogram ? DIGIT.test(text) : isUnmasked(text);
}

/**
 * Searches for numbers of card schemes only. Identifiers and timestamps pass the Luhn check by chance, and withholding them would make the
 * dead letter useless for a later resend.
 */
function isCardText(text: string): boolean {
  return holdsHiddenCardData(text);
}

interface DeadLettersOptions {
  /** Its owner closes it; this class does not. */
  producer: BatchingProducer;
  topicPrefix: string;
  /** Topic name without prefix. */
  deadLetterTopic: string;
  log: Log;
  groupId: string;
}

/** Writes dead letters, and reports assignments that are blocked because a dead letter could not be written. */
export class DeadLetters {
  private readonly troubles = new Map<Assignment, string>();

  constructor(
    private readonly options: DeadLettersOptions,
    private readonly metrics: KafkaMetrics,
  ) {}

  get trouble(): string | undefined {
    for (const trouble of this.troubles.values()) return trouble;
    return undefined;
  }

  /** Returns false if the dead letter could not be written. */
  async write(task: Pick<Task, 'record' | 'assignment'>, reason: DeadLetterReason): Promise<boolean> {
    const { producer, topicPrefix, deadLetterTopic, log, groupId } = this.options;
    const { record, assignment } = task;
    const at = {
      groupId,
      topic: record.topic,
      partition: record.partition,
      offset: String(record.offset),
      code: reason.code,
    };
    try {
      await producer.send(deadLetter(topicPrefix + deadLetterTopic, topicPrefix + record.topic, record, reason), {
        deadlineMs: 10_000,
      });
    } catch (error) {
      // A record compressed in its topic may be too large uncompressed; without content the dead letter still gives its position.
      if (error instanceof RecordTooLargeError) {
        if (record.value !== null) return this.write({ assignment, record: { ...record, value: null } }, reason);
        if (record.rawKey !== null || Object.keys(allHeaders(record)).length > 0)
          return this.write({ assignment, record: { ...record, rawKey: null, headers: {}, rawHeaders: {} } }, reason);
      }
      this.standsStill(assignment, `a dead letter cannot be written: ${reasonOf(error)}`);
      log.error({ ...at, error: String(error) }, 'a dead letter cannot be written; the partition stands still');
      return false;
    }
    this.troubles.delete(assignment);
    this.metrics.deadLetters.inc({ group: groupId, topic: record.topic, code: reason.code });
    this.metrics.handled.inc({ group: groupId, topic: record.topic, result: 'dead_letter' });
    log.error({ ...at, attempts: reason.attempts, reason: reason.message }, 'a record went to the dead letters');
    return true;
  }

  private standsStill(assignment: Assignment, trouble: string): void {
    const { signal } = assignment;
    if (signal.aborted) return;
    if (!this.troubles.has(assignment))
      signal.addEventListener('abort', () => this.troubles.delete(assignment), { once: true });
    this.troubles.set(assignment, trouble);
  }
}
