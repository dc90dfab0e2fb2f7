import { createLogger, type LogLevel, nestLogger } from './logger.js';
import { startTracing, withTrace } from './tracing.js';

function memoryLogger(level: LogLevel = 'debug') {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { log: createLogger({ name: 'test', level, destination: { write } }), lines };
}

describe('ServiceLogger', () => {
  it('writes JSON lines with service, level, time and message', () => {
    const { log, lines } = memoryLogger();
    log.info({ orderId: 'o1' }, 'hello');
    expect(lines).toEqual([
      {
        level: 'info',
        service: 'test',
        orderId: 'o1',
        message: 'hello',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    ]);
  });

  it('redacts fields, messages and what a child carries', () => {
    const { log, lines } = memoryLogger();
    log.child({ password: 'canary' }).error({ token: 'canary', err: new Error('Bearer canary') }, 'sent Bearer canary');
    expect(JSON.stringify(lines)).not.toContain('canary');
    expect(lines[0]).toMatchObject({ password: '[redacted]', token: '[redacted]', message: 'sent [redacted]' });
  });

  it.each<[LogLevel, number]>([
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
    ['silent', 0],
  ])('at %s writes %d of four levels', (level, count) => {
    const { log, lines } = memoryLogger(level);
    for (const each of ['debug', 'info', 'warn', 'error'] as const) log[each]({}, each);
    expect(lines).toHaveLength(count);
  });

  it('carries the ids of the active span', async () => {
    await startTracing('test');
    const { log, lines } = memoryLogger();
    withTrace({ traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }, 'work', () =>
      log.info({}, 'inside'),
    );
    log.info({}, 'outside');
    expect(lines[0]).toMatchObject({
      trace_id: '0af7651916cd43dd8448eb211c80319c',
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(lines[0]?.span_id).not.toBe('b7ad6b7169203331');
    expect(lines[1]).not.toHaveProperty('trace_id');
  });

  it("takes Nest's chatter as debug and its errors as errors", () => {
    const { log, lines } = memoryLogger();
    const nest = nestLogger(log);
    nest.log('mapped a route', 'RouterExplorer');
    nest.error(new Error('broken'), 'stack', 'Injector');
    expect(lines.map(({ level, message, context }) => [level, message, context])).toEqual([
      ['debug', 'mapped a route', 'RouterExplorer'],
      ['error', 'broken', 'Injector'],
    ]);
  });
});
