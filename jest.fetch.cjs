const { faultOfAnswer } = require('./jest.openapi.cjs');

/** The services that a test has started, by origin; libs/testing adds them (`noteService`). */
const services = (globalThis.trancheServices = new Map());

/**
 * Each `fetch` of a test takes a connection of its own. A kept one may be closed by its server at the moment when a busy machine lets the test
 * go on, and the request then fails with "other side closed", which says nothing about what is tested. An answer of one of our services must
 * be valid by the service's OpenAPI document.
 */
const { fetch } = globalThis;

globalThis.fetch = async (input, init = {}) => {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined));
  headers.set('connection', 'close');
  const response = await fetch(input, { ...init, headers });
  const { url, method } = input instanceof Request ? input : { url: String(input), method: init.method ?? 'GET' };
  const service = services.get(new URL(url).origin);
  const fault = service && (await faultOfAnswer(service, { url, method: init.method ?? method }, response));
  if (fault) throw new Error(fault);
  return response;
};
