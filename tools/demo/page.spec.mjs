import { createServer } from 'node:http';
import { openPage } from './page.mjs';

const ORIGIN = 'http://127.0.0.1:4050';
const requests = [];
const server = createServer((request, response) => {
  requests.push({ url: request.url, origin: request.headers.origin });
  response.setHeader('content-type', 'application/json');
  response.end('{"answer":1}');
});
let address;
beforeAll(async () => {
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  address = `http://127.0.0.1:${server.address().port}`;
});
afterAll(() => new Promise((closed) => server.close(closed)));
beforeEach(() => requests.splice(0));
const fetchOfNode = globalThis.fetch;
afterEach(() => (globalThis.fetch = fetchOfNode));

function pageWith(tokenizeCard) {
  return openPage({
    tokenizeCard,
    origin: ORIGIN,
    apiKeyId: 'id',
    cseKeysUrl: `${address}/keys`,
    tokenizerUrl: `${address}/tokenizer`,
  });
}
const ask = (url) => fetch(url, { method: 'POST', body: '{}' });

it('sends the origin with what the page asks, and tells of each answer', async () => {
  const answers = [];
  const page = pageWith(async (_card, { cseKeysUrl, tokenizerUrl }) => {
    await ask(cseKeysUrl);
    return (await ask(tokenizerUrl)).json();
  });
  const token = await page.tokenize({}, (what, body) => answers.push([what, body]));
  expect(token).toEqual({ answer: 1 });
  expect(answers).toEqual([
    ['key', { answer: 1 }],
    ['tokenizer', { answer: 1 }],
  ]);
  expect(requests.map(({ origin }) => origin)).toEqual([ORIGIN, ORIGIN]);
});

it('leaves what others ask alone, and two pages at once hear their own answers', async () => {
  await pageWith(() => ask(`${address}/elsewhere`)).tokenize({}, () => expect(true).toBe(false));
  expect(requests).toEqual([{ url: '/elsewhere', origin: undefined }]);
  const page = pageWith((path) => ask(`${address}${path}`));
  const heard = { '/keys': [], '/tokenizer': [] };
  await Promise.all(Object.keys(heard).map((path) => page.tokenize(path, (what) => heard[path].push(what))));
  expect(heard).toEqual({ '/keys': ['key'], '/tokenizer': ['tokenizer'] });
});
