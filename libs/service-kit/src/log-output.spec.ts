import { setImmediate as nextTurn } from 'node:timers/promises';
import { Writable } from 'node:stream';
import { LogOutput } from './log-output.js';
import { createLogger } from './logger.js';

/** A stream whose reader is stalled until the test continues it. */
function stalled() {
  const lines: Record<string, unknown>[] = [];
  let goOn: (() => void) | undefined;
  let isReading = false;
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      const take = () => {
        if (chunk.length > 0) lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
        done();
      };
      if (isReading) take();
      else goOn = take;
    },
  });
  const read = async () => {
    isReading = true;
    goOn?.();
    while (stream.writableLength > 0) await nextTurn();
    await nextTurn();
  };
  return { stream, lines, read };
}

it('drops unread lines, keeps errors longer, counts both, and logs it once when the reader resumes', async () => {
  const { stream, lines, read } = stalled();
  const output = new LogOutput(stream, 1_000);
  const log = createLogger({ name: 'test', destination: output });
  for (let i = 0; i < 50; i++) log.info({}, `line ${i}`);
  log.error({}, 'look at this');
  expect(stream.writableLength).toBeLessThanOrEqual(2_000);
  for (let i = 0; i < 50; i++) log.error({}, 'and this');
  expect(stream.writableLength).toBeLessThanOrEqual(2_000);
  const dropped = [...output.dropped.values()].reduce((sum, count) => sum + count, 0);
  expect([...output.dropped.keys()].sort()).toEqual(['error', 'info']);
  await read();
  const messages = lines.map(({ message }) => message);
  expect(messages).toContain('look at this');
  expect(messages.length + dropped).toBe(102);
  expect(lines.filter((line) => 'dropped' in line)).toMatchObject([{ level: 'warn', dropped }]);
});

it('continues when the reader is gone, and an exit does not wait for it', async () => {
  const { stream } = stalled();
  const output = new LogOutput(stream, 1_000);
  const log = createLogger({ name: 'test', destination: output });
  log.info({}, 'waits');
  stream.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  await nextTurn();
  log.error({}, 'lost');
  await output.flush(60_000);
  expect(output.dropped.get('error')).toBe(1);
});
