export { traceHeadersOf as traceOf } from '@tranche/runtime';
