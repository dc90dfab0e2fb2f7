import type { Log } from './reports.js';
import { untilUp } from './time.js';

describe('untilUp', () => {
  const lines: { level: string; message: string }[] = [];
  const at = (level: string) => (_: object, message: string) => void lines.push({ level, message });
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  beforeEach(() => void lines.splice(0));

  it('tries until it works and says each failure plainly', async () => {
    let attempts = 0;
    const attempt = () => (++attempts < 3 ? Promise.reject(new Error('connection refused')) : Promise.resolve('up'));
    await expect(
      untilUp('Kafka', attempt, { log, signal: new AbortController().signal, firstMs: 1, maxMs: 2 }),
    ).resolves.toBe('up');
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'info']);
    expect(lines[0]?.message).toMatch(/^Kafka cannot be reached: connection refused\. Trying again in \d+ ms$/);
  });

  it('says nothing when it works at once', async () => {
    await untilUp('Kafka', () => Promise.resolve(), { log, signal: new AbortController().signal });
    expect(lines).toEqual([]);
  });

  it('ends with the signal, while it waits and before it starts', async () => {
    const stopping = new AbortController();
    const waiting = untilUp('Kafka', () => Promise.reject(new Error('down')), {
      log,
      signal: stopping.signal,
      firstMs: 60_000,
      maxMs: 60_000,
    });
    stopping.abort(new Error('stopping'));
    await expect(waiting).rejects.toThrow();
    await expect(untilUp('Kafka', () => Promise.resolve(), { log, signal: stopping.signal })).rejects.toThrow(
      'stopping',
    );
  });
});
