interface Server {
  prependListener(event: 'request', listener: (request: { headers: Record<string, unknown> }) => void): unknown;
}

/** Traces begin at the shop: an id that a browser names would stand in our logs and commands as it wrote it. */
export function refuseForeignTraces(server: Server): void {
  server.prependListener('request', ({ headers }) => {
    delete headers.traceparent;
    delete headers.tracestate;
  });
}
