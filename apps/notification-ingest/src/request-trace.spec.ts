import { requestTrace } from './request-trace.js';

const traceparent = `00-${'4b'.repeat(16)}-${'f0'.repeat(8)}-01`;

it('is what the request brought', () => {
  expect(requestTrace({ traceparent, tracestate: 'shop=1' })).toEqual({ traceparent, tracestate: 'shop=1' });
  expect(requestTrace({ traceparent })).toEqual({ traceparent });
  expect(requestTrace({})).toEqual({});
});

it.each([`${traceparent}\n`, traceparent.toUpperCase(), 'x', `${traceparent}-01`])('is not %j', (odd) =>
  expect(requestTrace({ traceparent: odd, tracestate: 'shop=1' })).toEqual({}),
);

it('makes no record grow', () => {
  expect(requestTrace({ traceparent, tracestate: 'x'.repeat(512) })).toHaveProperty('tracestate');
  expect(requestTrace({ traceparent, tracestate: 'x'.repeat(513) })).toEqual({ traceparent });
});
