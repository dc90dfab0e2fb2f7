import { currentTraceId, injectTrace, startTracing, tracedResource, withSpan, withTrace } from './tracing.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

describe('the resource of spans', () => {
  const resourceAttributes = { 'deployment.environment.name': 'staging', 'k8s.pod.name': 'gateway-0' };

  it('has what OTEL_RESOURCE_ATTRIBUTES says beside the name of the service', () => {
    expect(tracedResource('test', { resourceAttributes }).attributes).toEqual({
      'service.name': 'test',
      ...resourceAttributes,
    });
  });

  it('has the name that OTEL_SERVICE_NAME gives, which counts more than one among the attributes', () => {
    const named = { 'service.name': 'of-attributes' };
    expect(tracedResource('test', { resourceAttributes: named }).attributes).toEqual(named);
    const both = tracedResource('test', { serviceName: 'of-france', resourceAttributes: named });
    expect(both.attributes).toEqual({ 'service.name': 'of-france' });
  });
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
