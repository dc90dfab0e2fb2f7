import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, RESP_TYPES } from 'redis';
import { REDIS_FILE, type Entry, type Place } from './search.js';

const BATCH = '500';
/** Used if Redis does not report its number of databases. */
const DATABASES = 16;
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
  const url = new URL(redisUrl);
  url.pathname = '/0';
  const client = createClient({ url: url.href }).withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  await client.connect();
  try {
    const places: Place[] = [];
    const databases = Number(
      flat(await client.sendCommand(['CONFIG', 'GET', 'databases']))[1]?.toString() ?? DATABASES,
    );
    for (let database = 0; database < databases; database++) {
      await client.sendCommand(['SELECT', String(database)]);
      const entries = await entriesOf((command) => client.sendCommand(command));
      if (entries.length > 0) places.push({ name: `redis ${database}`, kind: 'redis', entries });
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
  return [{ name: REDIS_FILE, kind: 'redis', entries }];
}

async function entriesOf(send: (command: (string | Buffer)[]) => Promise<unknown>): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor = '0';
  do {
    const [next, keys] = (await send(['SCAN', cursor, 'COUNT', BATCH])) as [Buffer, Buffer[]];
    cursor = next.toString();
    const read = async (key: Buffer): Promise<Entry[]> => {
      const type = String(await send(['TYPE', key]));
      const reader = READERS[type];
      if (reader === undefined) {
        if (type === 'none') return []; // it has just expired
        throw new Error(`Redis holds a ${type}, which is not searched`);
      }
      const label = key.toString('latin1');
      return [
        { label, text: [key, ...flat(await send(reader(key)))].map((bytes) => bytes.toString('latin1')).join('\n') },
      ];
    };
    entries.push(...(await Promise.all(keys.map(read))).flat());
  } while (cursor !== '0');
  return entries;
}

/** RESP2 and RESP3 nest values differently; the search needs only the bytes. */
function flat(value: unknown): Buffer[] {
  if (Buffer.isBuffer(value)) return [value];
  if (value instanceof Map) return [...value].flat().flatMap(flat);
  if (Array.isArray(value)) return value.flatMap(flat);
  if (typeof value === 'object' && value !== null) return Object.entries(value).flat().flatMap(flat);
  return value === null || value === undefined ? [] : [Buffer.from(String(value as string | number))];
}
