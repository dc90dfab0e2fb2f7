import { readFileSync } from 'node:fs';
import {
  decodeCloudEvent,
  isPlainObject,
  orderKey,
  parseJsonWithNames,
  withoutByteOrderMark,
  type CommandRecord,
  type RepeatedName,
} from '@tranche/contracts';
import { CannotTellError } from '../exit.js';

/** A command of the input, as the record that would lie on a command topic. */
export interface GivenCommand {
  /** Its place in the input, such as `line 3`. */
  at: string;
  /** With prefix; absent where the input names none. */
  topic?: string;
  partition?: number;
  record: CommandRecord;
  /** True where the value was given as JSON, not as text: the bytes that were signed may have been others. */
  isValueRewritten: boolean;
}

export type Given = GivenCommand | { at: string; fault: string };

const NO_COMMAND =
  'is no command: give a CloudEvent (an object with `specversion`) or a record (an object with `headers` and `value`)';

/**
 * @param file path, or `-` for standard input
 * @throws CannotTellError where it cannot be read, also for bytes that are no UTF-8: what was signed would be lost
 */
export function readInput(file: string): string {
  try {
    const bytes = withoutByteOrderMark(readFileSync(file === '-' ? 0 : file));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CannotTellError(`${file} cannot be read as text in UTF-8 or UTF-16`, { cause });
  }
}

/** Reads one JSON object, a list of them, or one per line. Never throws: what is no command has a fault. */
export function givenCommands(text: string): Given[] {
  const whole = jsonOf(text);
  if (whole !== undefined) {
    const { json, repeated } = whole;
    if (!Array.isArray(json)) return [givenCommand('command', json, repeated)];
    if (json.length === 0) return EMPTY;
    return json.map((one, index) => {
      const ofOne = repeated.filter(({ path }) => path.startsWith(`[${index}]`));
      return givenCommand(json.length === 1 ? 'command' : `command ${index + 1}`, one, ofOne);
    });
  }
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), at: `line ${index + 1}` }));
  const given = lines.filter(({ line }) => line !== '').map(({ line, at }): Given => {
    const parsed = jsonOf(line);
    return parsed === undefined ? { at, fault: 'is not JSON' } : givenCommand(at, parsed.json, parsed.repeated);
  }); // prettier-ignore
  return given.length > 0 ? given : EMPTY;
}

const EMPTY: Given[] = [{ at: 'input', fault: 'is empty' }];

function jsonOf(text: string): ReturnType<typeof parseJsonWithNames> | undefined {
  try {
    return parseJsonWithNames(text);
  } catch {
    return undefined;
  }
}

function givenCommand(at: string, json: unknown, repeated: readonly RepeatedName[]): Given {
  if (repeated.length > 0) return { at, fault: repeated.map(({ path, message }) => `${path} ${message}`).join('; ') };
  if (!isPlainObject(json)) return { at, fault: NO_COMMAND };
  if (Object.hasOwn(json, 'specversion')) {
    const value = Buffer.from(JSON.stringify(json));
    const record = { key: null, headers: { 'content-type': 'application/cloudevents+json' }, value };
    return { at, record: withKey(record, undefined), isValueRewritten: true };
  }
  const headers = headersOf(json.headers);
  // kcat names the value `payload` and the time `ts`.
  const value = json.value ?? json.payload ?? null;
  if (headers === undefined) return { at, fault: NO_COMMAND };
  const record: CommandRecord = {
    key: null,
    headers: headers.first,
    value: value === null ? null : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
    ...(headers.repeated.length === 0 ? {} : { repeatedHeaders: headers.repeated }),
    ...numberOf('timestampMs', json.timestamp ?? json.ts),
  };
  return {
    at,
    ...(typeof json.topic === 'string' ? { topic: json.topic } : {}),
    ...numberOf('partition', json.partition),
    record: withKey(record, json.key),
    isValueRewritten: typeof value !== 'string',
  };
}

const numberOf = <N extends string>(name: N, value: unknown) =>
  (typeof value === 'number' ? { [name]: value } : {}) as Partial<Record<N, number>>;

/** Takes an object of texts, or kcat's list: name, value, name, value. */
function headersOf(given: unknown): { first: Record<string, string>; repeated: string[] } | undefined {
  const list = Array.isArray(given) ? pairs(given) : isPlainObject(given) ? Object.entries(given) : undefined;
  if (list === undefined || list.some(([name, value]) => typeof name !== 'string' || typeof value !== 'string'))
    return undefined;
  const first: Record<string, string> = {};
  const repeated = new Set<string>();
  for (const [name, value] of list as [string, string][]) {
    if (Object.hasOwn(first, name)) repeated.add(name);
    else first[name] = value;
  }
  return { first, repeated: [...repeated] };
}

function pairs(list: readonly unknown[]): [unknown, unknown][] {
  return Array.from({ length: Math.ceil(list.length / 2) }, (_, at) => [list[2 * at], list[2 * at + 1]]);
}

/** Without a key in the input, the record gets the one that its content asks for. */
function withKey(record: CommandRecord, key: unknown): CommandRecord {
  if (typeof key === 'string') return { ...record, key };
  if (key === null) return record;
  const data: unknown = decodeCloudEvent(record).event?.data;
  const { merchant, orderId } = isPlainObject(data) ? data : {};
  const isNamed = typeof merchant === 'string' && typeof orderId === 'string';
  return isNamed ? { ...record, key: orderKey(merchant, orderId) } : record;
}
