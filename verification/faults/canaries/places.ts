import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, RESP_TYPES } from 'redis';
import { COMMAND_TOPICS, TOPICS } from '@tranche/contracts';
import { UnknownTopicError, type ConsumedRecord, type KafkaClient } from '@tranche/kafka';
import { wholeTopic } from '../traces-reader.js';

/** A unit of the search: a line of a log, a part of a record, a Redis key or a line of metrics. */
export interface Entry {
  readonly label: string;
  /** Bytes as latin1, so that no byte is lost. */
  readonly text: string;
}

export interface Place {
  readonly name: string;
  readonly kind: 'log' | 'topic' | 'redis' | 'redis file' | 'metrics';
  readonly entries: readonly Entry[];
  /** Set for command topics: a card command may hold its HFTOKEN. */
  readonly commandsOf?: 'card' | 'instalment';
}

const REQUEST_TIMEOUT_MS = 10_000;
const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const inLines = (lines: readonly string[]) =>
  lines.map((line, index) => ({ label: `line ${index + 1}`, text: utf8(line) }));

export const logOf = (name: string, lines: readonly string[]): Place => ({
  ...{ name: `log of ${name}`, kind: 'log', entries: inLines(lines) },
});

/** Reads a page of metrics. @throws if it cannot be read: a page that was not searched must not pass for clean */
export async function metricsAt(name: string, managementUrl: string): Promise<Place> {
  const answer = await fetch(`${managementUrl}/metrics`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`the metrics of ${name} cannot be had: ${answer.status}`);
  return { name: `metrics of ${name}`, kind: 'metrics', entries: inLines((await answer.text()).split('\n')) };
}

/** Reads every record of every topic under a prefix, with key, value and headers apart. A topic that does not exist is left out. */
export async function topicsOf(client: KafkaClient, topicPrefix: string): Promise<Place[]> {
  const rails = new Map<string, string>(Object.entries(COMMAND_TOPICS).map(([rail, { name }]) => [name, rail]));
  const places = await Promise.all(
    Object.values(TOPICS).map(async ({ name }): Promise<Place[]> => {
      const records = await wholeTopic(client, topicPrefix, name).catch((error: unknown) => {
        if (error instanceof UnknownTopicError) return undefined;
        throw error;
      });
      if (records === undefined) return [];
      const rail = rails.get(name);
      const commandsOf = rail && ({ commandsOf: rail === 'card' ? 'card' : 'instalment' } as const);
      return [{ name, kind: 'topic', entries: records.flatMap(entriesOf), ...commandsOf }];
    }),
  );
  return places.flat();
}

function entriesOf({ partition, offset, rawKey, value, headers }: ConsumedRecord): Entry[] {
  const named = Object.entries(headers).map(([name, text]) => `${name}: ${utf8(text)}`);
  const part = (name: string, text = '') => ({ label: `${partition}/${offset} ${name}`, text });
  return [
    part('value', value?.toString('latin1')),
    part('key', rawKey?.toString('latin1')),
    part('headers', named.join('\n')),
  ];
}

/** Commands that read the whole value of each type. */
const READERS: Readonly<Record<string, (key: Buffer) => (string | Buffer)[]>> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  stream: (key) => ['XRANGE', key, '-', '+'],
};

/** Reads every key of every database with its value, byte for byte. */
export async function redisPlaces(redisUrl: string): Promise<Place[]> {
  const client = createClient({ url: redisUrl, RESP: 2 }).withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  await client.connect();
  const read = async (key: Buffer): Promise<Entry[]> => {
    const type = await client.type(key);
    if (type === 'none') return []; // it has just expired
    const reader = READERS[type];
    if (reader === undefined) throw new Error(`Redis holds a ${type}, which is not searched`);
    const values = [await client.sendCommand(reader(key))].flat(9) as unknown as (Buffer | null)[];
    return [{ label: key.toString('latin1'), text: [key, ...values].map((one) => one?.toString('latin1')).join('\n') }];
  };
  try {
    const places: Place[] = [];
    const keyspace = (await client.info('keyspace')).toString();
    for (const [, database = ''] of keyspace.matchAll(/^db(\d+):/gm)) {
      await client.sendCommand(['SELECT', database]);
      const keys = (await client.sendCommand(['KEYS', '*'])) as unknown as Buffer[];
      places.push({
        ...{ name: `redis ${database}`, kind: 'redis' },
        entries: (await Promise.all(keys.map(read))).flat(),
      });
    }
    return places;
  } finally {
    client.destroy();
  }
}

/** The append-only file of a Redis still contains values that were deleted. */
export function redisFile(folder: string): Place[] {
  const place = join(folder, 'appendonlydir');
  if (!existsSync(place)) return [];
  const entries = readdirSync(place).map((file) => ({ label: file, text: readFileSync(join(place, file), 'latin1') }));
  return [{ name: 'file of Redis', kind: 'redis file', entries }];
}
