interface Server {
  prependListener(event: 'request', listener: (request: { headers: Record<string, unknown> }) => void): unknown;
}

/** Traces start at the shop. A browser's trace id would otherwise appear in our logs and commands. */
export function refuseForeignTraces(server: Server): void {
  server.prependListener('request', ({ headers }) => {
    delete headers.traceparent;
    delete headers.tracestate;
  });
}
