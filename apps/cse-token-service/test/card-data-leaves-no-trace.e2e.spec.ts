import { connect } from 'node:net';
import { findSecret } from '@tranche/testing';
import { API_KEY_ID, ORIGIN } from './cse-token-service.js';
import { startKeyProvider, type KeyProvider } from './key-provider.js';
import { keyEvents, ownWorld, redisDump, startCse, type RunningCse } from './running.js';

const PAN = '4929123412341232';
const GROUPED = PAN.replace(/\d{4}(?=\d)/g, '$& ');
const CVV = '7316';
const PATH = '/v1/cse-keys';
/** Finds the card's number, its first digits, or its CVV. */
const cardIn = (text: string) => [PAN, PAN.slice(0, 8), CVV].flatMap((digits) => findSecret(text, digits));
const json = { origin: ORIGIN, 'content-type': 'application/json' };
const sound = JSON.stringify({ apiKeyId: API_KEY_ID });
const card = { CARDCODE: PAN, CARDCVV: CVV, CARDVALIDITYDATE: '12-30', SELECTEDBRAND: 'visa' };

type Request = [what: string, path: string, init: RequestInit];
const post = (what: string, body: string, headers: Record<string, string> = json, path = PATH): Request => [
  what,
  path,
  { method: 'POST', headers, body },
];
const typed = (type: string) => ({ origin: ORIGIN, 'content-type': type });

const REFUSED: Request[] = [
  post('the card beside the id', JSON.stringify({ apiKeyId: API_KEY_ID, ...card })),
  post('the card alone', JSON.stringify(card)),
  post('only a CVV', JSON.stringify({ apiKeyId: API_KEY_ID, cvv: CVV })),
  post('deep in the body', JSON.stringify({ apiKeyId: API_KEY_ID, a: [{ b: { c: [GROUPED] } }] })),
  post('as a name', JSON.stringify({ [PAN]: CVV })),
  post('as a number', `{"apiKeyId":"${API_KEY_ID}","n":${PAN}}`),
  post('as the apiKeyId', JSON.stringify({ apiKeyId: PAN })),
  post('as the refused key', JSON.stringify({ apiKeyId: API_KEY_ID, refused: PAN })),
  post('under a name that stands twice', `{"apiKeyId":"${PAN}","apiKeyId":"${API_KEY_ID}"}`),
  post('in JSON that breaks off', `{"CARDCODE":"${PAN}","CARDCVV":"${CVV}`),
  post('behind the JSON', `${sound} ${PAN}`),
  post('as bare text', PAN),
  post('urlencoded', new URLSearchParams(card).toString(), typed('application/x-www-form-urlencoded')),
  post('as text/plain', JSON.stringify(card), typed('text/plain')),
  post('as XML', `<card><pan>${PAN}</pan><cvv>${CVV}</cvv></card>`, typed('text/xml')),
  post(
    'in a part of a form',
    `--x\r\ncontent-disposition: form-data; name="cvv"\r\n\r\n${CVV}\r\n--x--`,
    typed('multipart/form-data; boundary=x'),
  ),
  post('in the content type', sound, typed(`application/json; card=${PAN}`)),
  post('in the query', sound, json, `${PATH}?card=${PAN}`),
  post('as a name in the query', sound, json, `${PATH}?cvv=${CVV}`),
  post('escaped in the query', sound, json, `${PATH}?c=${encodeURIComponent(GROUPED)}`),
  post('in the path', sound, json, `${PATH}/${PAN}`),
  post('in another path', sound, json, `/${encodeURIComponent(GROUPED)}/cvv/${CVV}`),
  post('in broken escapes of the path', sound, json, `/%zz${PAN}`),
  post('in a header', sound, { ...json, 'x-card': PAN }),
  post('as the name of a header', sound, { ...json, cardcvv: CVV }),
  post('in the cookie', sound, { ...json, cookie: `card=${PAN}` }),
  post('in the referrer', sound, { ...json, referer: `https://shop.example/?card=${PAN}` }),
  post('in the browser', sound, { ...json, 'user-agent': GROUPED }),
  post('in X-Forwarded-For', sound, { ...json, 'x-forwarded-for': PAN }),
  post('in the state of a trace', sound, { ...json, tracestate: `card=${PAN}` }),
  ['in a GET', `${PATH}?pan=${PAN}`, { headers: json }],
  ['in a preflight', `${PATH}?pan=${PAN}`, { method: 'OPTIONS', headers: { origin: ORIGIN } }],
  [
    'in what a preflight asks for',
    PATH,
    { method: 'OPTIONS', headers: { origin: ORIGIN, 'access-control-request-headers': `content-type,${PAN}` } },
  ],
];

/** Requests whose content is refused before it can be searched. */
const UNREAD: [what: string, bytes: string][] = [
  [
    'with a foreign origin',
    `POST ${PATH}?pan=${PAN} HTTP/1.1\r\nhost: x\r\norigin: https://${PAN}.example\r\ncontent-length: 4\r\n\r\n${CVV}`,
  ],
  [
    'in a body that is too large',
    `POST ${PATH} HTTP/1.1\r\nhost: x\r\norigin: ${ORIGIN}\r\ncontent-length: 2000\r\n\r\n${PAN.repeat(125)}`,
  ],
  ['in what is no HTTP', `${PAN} ${CVV}\r\n\r\n`],
  ['in headers that are too large', `POST ${PATH} HTTP/1.1\r\nhost: x\r\nx-card: ${PAN.repeat(600)}\r\n\r\n`],
  ['in a header that is none', `POST ${PATH} HTTP/1.1\r\nhost: x\r\n${PAN}\x01: ${CVV}\r\n\r\n`],
  [
    'in a body that breaks off',
    `POST ${PATH} HTTP/1.1\r\nhost: x\r\norigin: ${ORIGIN}\r\ncontent-length: 900\r\n\r\n{"CARDCODE":"${PAN}`,
  ],
];

describe('card data', () => {
  const world = ownWorld();
  let provider: KeyProvider;
  let cse: RunningCse;
  beforeAll(async () => {
    provider = await startKeyProvider();
    cse = await startCse(provider.url, world);
  });
  afterAll(async () => {
    await cse.stop();
    await provider.close();
  });

  it.each(REFUSED)('%s is refused by a code of its own and not repeated', async (_, path, init) => {
    const answer = await fetch(cse.app.url + path, init);
    const text = await answer.text();
    expect({ status: answer.status, ...(JSON.parse(text) as object) }).toMatchObject({
      status: 400,
      code: 'card_data_refused',
    });
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(cardIn(JSON.stringify([...answer.headers]) + text)).toEqual([]);
  });

  it.each(UNREAD)('%s is refused and not repeated', async (_, bytes) => {
    const { hostname, port } = new URL(cse.app.url);
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (part) => {
        text += part.toString();
        socket.end();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(text));
      // The last request waits for an answer that requires the rest of the body.
      socket.end(bytes);
    });
    expect(cardIn(answer)).toEqual([]);
    if (answer !== '') expect(answer).toMatch(/^HTTP\/1.1 4\d\d /);
  });

  it('is in no line of the log, no metric, no event, no entry of Redis, and never reaches the provider', async () => {
    expect(await cse.ask()).toMatchObject({ status: 200 });
    const events = await keyEvents(world);
    await events.next(({ type }) => type === 'cse.key.seen');
    expect(await cse.metric('cse_requests_refused_total{code="card_data_refused"')).toBe(REFUSED.length);
    const metrics = await (await fetch(`${cse.app.managementUrl}/metrics`)).text();
    const dump = await redisDump(world);
    await events.stop();
    await cse.stop();
    const places = {
      log: cse.app.logs.join('\n'),
      metrics,
      events: JSON.stringify(events.events),
      redis: JSON.stringify(dump),
    };
    expect(places.log).toContain('sends card data here');
    // Logged once a minute, however many requests there are.
    expect(places.log.split('sends card data here').length - 1).toBeLessThan(REFUSED.length / 4);
    for (const [place, text] of Object.entries({ ...places, provider: JSON.stringify(provider.requests) })) {
      for (const canary of ['CARDCODE', 'CARDCVV', 'cardcvv']) {
        if (text.includes(canary))
          throw new Error(
            `${place} holds ${canary}: ${text.slice(Math.max(0, text.indexOf(canary) - 200)).slice(0, 400)}`,
          );
      }
      expect([place, cardIn(text)]).toEqual([place, []]);
    }
  });
});
