import {
  decodeCloudEvent,
  isPlainObject,
  KID_PATTERN,
  parseOrderKey,
  SIGNATURE_HEADER,
  signatureKid,
  type Fault,
} from '@tranche/contracts';
import type { FoundRecord } from './topic-reading.js';

/** Position and time of a record. */
export interface Place {
  topic: string;
  partition: number;
  offset: bigint;
  at: string;
}

/** A copy of the command on a command topic. */
export interface CommandCopy extends Place {
  timestampMs: number;
  key: string | null;
  /** Partition and offset of the copy that a gateway forwarded, `3/17`. */
  forwardedFrom?: string;
}

export interface DeadLetter extends Place {
  commandId?: string;
  key: string | null;
  /** The record that became this dead letter, `topic/partition/offset`. */
  of: string;
  code: string;
  message: string;
  /** Key id that the refused signature names, if it can be one of a merchants' file. Anybody can write any. */
  kid?: string;
}

export interface SeenEvent extends Place {
  commandId?: string;
  key: string | null;
  id: string;
  type: string;
  faults: Fault[];
}

/** Everything that was found of one command. */
export interface CommandStory {
  /** Absent for a record whose id cannot be read. */
  commandId?: string;
  copies: CommandCopy[];
  letters: DeadLetter[];
  events: SeenEvent[];
}

const placeOf = ({ topic, partition, offset, timestampMs }: FoundRecord): Place => ({
  topic,
  partition,
  offset,
  at: new Date(timestampMs).toISOString(),
});

/** `ce_id`; of a structured event, the id in the value. */
export const idOf = ({ headers, value }: Pick<FoundRecord, 'headers' | 'value'>): string | undefined =>
  headers.ce_id ?? decodeCloudEvent({ headers, value }).event?.id;

export function copyOf(record: FoundRecord): CommandCopy {
  const { key, timestampMs, headers } = record;
  const from = headers['forwarded-from'];
  return { ...placeOf(record), key, timestampMs, ...(from === undefined ? {} : { forwardedFrom: from }) };
}

export function deadLetterOf(record: FoundRecord): DeadLetter {
  const { key, headers } = record;
  const commandId = idOf(record);
  const kid = signatureKid(headers[SIGNATURE_HEADER] ?? '');
  return {
    ...placeOf(record),
    ...(commandId === undefined ? {} : { commandId }),
    key,
    of: ['topic', 'partition', 'offset'].map((name) => headers[`dead-letter-${name}`]).join('/'),
    code: headers['dead-letter-code'] ?? 'unknown',
    message: headers['dead-letter-message'] ?? '',
    ...(kid !== undefined && kid.length <= 64 && KID_PATTERN.test(kid) ? { kid } : {}),
  };
}

export function eventOf(record: FoundRecord): SeenEvent {
  const { key, headers, value } = record;
  const { event } = decodeCloudEvent({ headers, value });
  const data = isPlainObject(event?.data) ? event.data : {};
  return {
    ...placeOf(record),
    ...(event?.causationid === undefined ? {} : { commandId: event.causationid }),
    key,
    id: event?.id ?? '',
    type: event?.type ?? '',
    faults: Array.isArray(data.faults) ? (data.faults as Fault[]) : [],
  };
}

export const placeText = ({ topic, partition, offset }: Place): string => `${topic}/${partition}/${offset}`;

/** The order of a command, as its records are keyed. */
export function orderOf({ copies, letters, events }: CommandStory): { merchant: string; orderId: string } | undefined {
  for (const { key } of [...events, ...copies, ...letters]) {
    const named = key === null ? undefined : parseOrderKey(key);
    if (named !== undefined) return named;
  }
  return undefined;
}

/** Puts what was read together, command by command, the oldest first. */
export function storiesOf(
  copies: readonly { commandId?: string; copy: CommandCopy }[],
  letters: readonly DeadLetter[],
  events: readonly SeenEvent[],
): CommandStory[] {
  const stories = new Map<string, CommandStory>();
  const storyOf = (commandId: string | undefined, otherwise: string): CommandStory => {
    const name = commandId === undefined ? `at ${otherwise}` : `id ${commandId}`;
    const story = stories.get(name) ?? {
      ...(commandId === undefined ? {} : { commandId }),
      copies: [],
      letters: [],
      events: [],
    };
    stories.set(name, story);
    return story;
  };
  const idOfPlace = new Map(copies.map(({ commandId, copy }) => [placeText(copy), commandId]));
  for (const { commandId, copy } of copies) storyOf(commandId, placeText(copy)).copies.push(copy);
  // A dead letter without headers is known by the record that it came of.
  for (const letter of letters) storyOf(letter.commandId ?? idOfPlace.get(letter.of), letter.of).letters.push(letter);
  // An event without a command is about the order: a timer or a notification caused it.
  for (const event of events) if (event.commandId !== undefined) storyOf(event.commandId, '').events.push(event);
  for (const { copies: all, letters: dead, events: seen } of stories.values())
    for (const list of [all, dead, seen]) list.sort((one, other) => orderNumber(one) - orderNumber(other));
  return [...stories.values()];
}

/** A forwarded copy is newer than the one it was made of, also within one millisecond. */
const orderNumber = (place: Place | CommandCopy): number => Date.parse(place.at) + ('forwardedFrom' in place ? 0.5 : 0);
