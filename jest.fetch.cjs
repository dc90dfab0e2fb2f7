/**
 * Each `fetch` of a test takes a connection of its own. A kept one may be closed by its server at the moment when a busy machine lets the test
 * go on, and the request then fails with "other side closed", which says nothing about what is tested.
 */
const { fetch } = globalThis;

globalThis.fetch = (input, init = {}) => {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined));
  headers.set('connection', 'close');
  return fetch(input, { ...init, headers });
};
