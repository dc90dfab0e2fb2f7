import { validTraceHeaders } from './values.js';

const traceparent = `00-${'4b'.repeat(16)}-${'f0'.repeat(8)}-01`;

it('is what the request brought', () => {
  expect(validTraceHeaders({ traceparent, tracestate: 'shop=1' })).toEqual({ traceparent, tracestate: 'shop=1' });
  expect(validTraceHeaders({ traceparent })).toEqual({ traceparent });
  expect(validTraceHeaders({})).toEqual({});
});

it.each([`${traceparent}\n`, traceparent.toUpperCase(), 'x', `${traceparent}-01`])('is not %j', (odd) =>
  expect(validTraceHeaders({ traceparent: odd, tracestate: 'shop=1' })).toEqual({}),
);

it('makes no record grow', () => {
  expect(validTraceHeaders({ traceparent, tracestate: 'x'.repeat(512) })).toHaveProperty('tracestate');
  expect(validTraceHeaders({ traceparent, tracestate: 'x'.repeat(513) })).toEqual({ traceparent });
});
