import { currentTraceId, injectTrace, startTracing, tracedResource, withSpan, withTrace } from './tracing.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

it('the resource of spans has what OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say of the service', () => {
  expect(tracedResource('test').attributes).toEqual({ 'service.name': 'test' });
  process.env['OTEL_SERVICE_NAME'] = 'of-france';
  process.env['OTEL_RESOURCE_ATTRIBUTES'] = 'deployment.environment.name=staging,k8s.pod.name=gateway%2D0';
  try {
    expect(tracedResource('test').attributes).toEqual({
      'service.name': 'of-france',
      'deployment.environment.name': 'staging',
      'k8s.pod.name': 'gateway-0',
    });
  } finally {
    delete process.env['OTEL_SERVICE_NAME'];
    delete process.env['OTEL_RESOURCE_ATTRIBUTES'];
  }
});

describe('tracing', () => {
  beforeAll(() => startTracing('test'));

  it('continues an incoming trace across awaits and hands it on', async () => {
    const headers = await withTrace({ traceparent: PARENT, tracestate: 'a=1' }, 'consume', async () => {
      await new Promise(setImmediate);
      return withSpan('send', () => injectTrace({ other: 'x' }));
    });
    expect(headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`));
    expect(headers).toMatchObject({ tracestate: 'a=1', other: 'x' });
  });

  it('takes header values as bytes, as Kafka gives them', () => {
    expect(withTrace({ traceparent: Buffer.from(PARENT) }, 'consume', currentTraceId)).toBe(TRACE);
  });

  it.each([[undefined], ['nonsense'], ['00-00000000000000000000000000000000-b7ad6b7169203331-01']])(
    'starts a trace of its own for traceparent %s',
    (traceparent) => {
      const id = withTrace({ traceparent }, 'consume', currentTraceId);
      expect(id).toMatch(/^[0-9a-f]{32}$/);
      expect(id).not.toBe(TRACE);
      expect(id).not.toMatch(/^0+$/);
    },
  );

  it('keeps concurrent traces apart', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => i.toString(16).padStart(32, '1'));
    const seen = await Promise.all(
      ids.map((id) =>
        withTrace({ traceparent: `00-${id}-b7ad6b7169203331-01` }, 'consume', async () => {
          await new Promise(setImmediate);
          return currentTraceId();
        }),
      ),
    );
    expect(seen).toEqual(ids);
  });

  it('lets errors through, thrown or rejected', async () => {
    expect(() =>
      withTrace({}, 'consume', () => {
        throw new RangeError('thrown');
      }),
    ).toThrow('thrown');
    await expect(withTrace({}, 'consume', () => Promise.reject(new Error('rejected')))).rejects.toThrow('rejected');
    expect(currentTraceId()).toBeUndefined();
  });

  it('adds nothing outside a trace', () => {
    expect(injectTrace({})).toEqual({});
  });
});
