import { createLogger } from './logger.js';
import { backOffMs, reasonOf, untilUp } from './until-up.js';

describe('untilUp', () => {
  const lines: { level: string; message: string }[] = [];
  const log = createLogger({ name: 'test', destination: { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[0]) } });
  beforeEach(() => void lines.splice(0));

  it('tries until it works and says each failure plainly', async () => {
    let attempts = 0;
    const attempt = () => (++attempts < 3 ? Promise.reject(new Error('connection refused')) : Promise.resolve('up'));
    await expect(untilUp('Kafka', attempt, { log, signal: new AbortController().signal, firstDelayMs: 1, maxDelayMs: 2 })).resolves.toBe(
      'up',
    );
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
      firstDelayMs: 60_000,
      maxDelayMs: 60_000,
    });
    stopping.abort(new Error('stopping'));
    await expect(waiting).rejects.toThrow();
    await expect(untilUp('Kafka', () => Promise.resolve(), { log, signal: stopping.signal })).rejects.toThrow('stopping');
  });

  it('doubles its delays up to the largest, with jitter below', () => {
    for (const [attempts, ceiling] of [
      [1, 250],
      [2, 500],
      [5, 4_000],
      [6, 5_000],
      [10_000, 5_000],
    ] as const) {
      const delays = Array.from({ length: 50 }, () => backOffMs(attempts));
      expect(Math.max(...delays)).toBeLessThanOrEqual(ceiling);
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(ceiling / 2);
      expect(new Set(delays).size).toBeGreaterThan(1);
    }
  });

  it("finds the reason in Node's connection errors", () => {
    const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
    expect(reasonOf(new AggregateError([refused, refused]))).toBe('ECONNREFUSED');
    expect(reasonOf(new TypeError(''))).toBe('TypeError');
    expect(reasonOf('text')).toBe('text');
  });
});
