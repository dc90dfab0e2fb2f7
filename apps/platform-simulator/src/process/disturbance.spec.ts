import { EXECCODES } from '@tranche/contracts';
import { waitFor } from '@tranche/testing';
import { formOf, instalment, runSimulator, type RunningSimulator } from '../../test/running-simulator.js';
import { hashOf } from '../request/platform-hash.js';
import { messageOf } from '../transactions/exec-codes.js';
import type * as faultRules from '../control/faults.js';

/** Replaces this latency by a wait for the test's gate. */
const GATED_MS = 3_600_000;
let mockGate: Promise<void>;
let open: () => void;
beforeEach(() => {
  mockGate = new Promise((resolve) => (open = resolve));
});
afterEach(() => open());
jest.mock('../control/faults.js', () => {
  const actual = jest.requireActual<typeof faultRules>('../control/faults.js');
  return { ...actual, pause: (ms: number) => (ms === GATED_MS ? mockGate : actual.pause(ms)) };
});

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await runSimulator();
});
afterAll(() => simulator.stop());
beforeEach(() => simulator.json('POST', '/simulator/reset'));

const executed = async () => (await simulator.ledger()).operations.length;
const signedBody = () => {
  const parameters = { IDENTIFIER: 'Shop', ...instalment() };
  return formOf({ ...parameters, HASH: hashOf('account-key', Object.entries(parameters)) });
};
const send = () =>
  fetch(`${simulator.url}/front/service/rest/process`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: signedBody(),
  });
const call = (parameters = {}) => simulator.operate(instalment(parameters));

describe('faults by rule', () => {
  it.each([
    ['dropped before it is executed', { dropBefore: true }, 0, 'reset'],
    ['executed, then reset', { executeThenReset: true }, 1, 'reset'],
  ])('%s', async (_title, fault, count, answered) => {
    await simulator.fault({}, fault);
    await expect(call()).rejects.toThrow('fetch failed');
    const ledger = await simulator.ledger();
    expect([ledger.operations.length, ledger.calls[0]?.answered]).toEqual([count, answered]);
  });

  it.each([
    ['status5xx', 'before', 503, 0],
    ['status5xx', 'after', 502, 1],
    ['status4xx', 'before', 429, 0],
    ['status4xx', 'after', 404, 1],
  ])('%s %s', async (name, when, status, count) => {
    await simulator.fault({}, { [name]: { when, status } });
    expect((await call()).status).toBe(status);
    expect(await executed()).toBe(count);
  });

  it('a redirect that leads back: a client that follows it has the operation executed again', async () => {
    await simulator.fault({ times: 1 }, { status3xx: { when: 'after', status: 307 } });
    expect((await call()).answer.EXECCODE).toBe('0002');
    expect(await executed()).toBe(2);
  });

  it.each([
    ['garbage', 'before', 0, /^<html>/],
    ['garbage', 'after', 1, /^<html>/],
    ['emptyAnswer', 'before', 0, /^$/],
    ['emptyAnswer', 'after', 1, /^$/],
  ])('%s %s', async (name, when, count, expected) => {
    await simulator.fault({}, { [name]: when });
    const response = await send();
    expect([response.status, await response.text()]).toEqual([200, expect.stringMatching(expected)]);
    expect(await executed()).toBe(count);
  });

  it('an answer cut in the middle', async () => {
    await simulator.fault({}, { truncate: true });
    const response = await send();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
    const ledger = await simulator.ledger();
    expect([ledger.operations.length, ledger.calls[0]?.answered]).toEqual([1, 'truncated']);
  });

  it('an answer in drops', async () => {
    await simulator.fault({}, { slowDrip: 300 });
    const began = performance.now();
    const response = await send();
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body ?? []) chunks.push(chunk);
    expect(performance.now() - began).toBeGreaterThanOrEqual(290);
    expect(chunks.length).toBeGreaterThan(3);
    expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ EXECCODE: '0002' });
    expect(await executed()).toBe(1);
  });

  it('a dripping answer whose client has left', async () => {
    await simulator.fault({ times: 1 }, { slowDrip: 60_000 });
    const response = await send();
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    await reader?.cancel();
    expect((await call()).answer.EXECCODE).toBe('0002');
  });

  it("another operation's answer", async () => {
    await simulator.fault({}, { wrongOperationType: true });
    expect((await call()).answer).toMatchObject({ OPERATIONTYPE: 'capture', EXECCODE: '0002' });
    expect((await simulator.ledger()).operations).toMatchObject([{ operationType: 'authorization' }]);
  });

  it('reset while the request is being read', async () => {
    await simulator.fault({ times: 1 }, { resetWhileReading: true });
    await expect(send()).rejects.toThrow('fetch failed');
    const ledger = await simulator.ledger();
    expect(ledger.calls).toMatchObject([{ answered: 'reset', executed: false, parameters: [] }]);
    expect((await call()).answer.EXECCODE).toBe('0002');
  });

  it.each([
    [true, 1],
    ['after', 1],
    ['before', 0],
  ])('timeout: %s leaves the client waiting', async (timeout, count) => {
    await simulator.fault({}, { timeout });
    const { body } = await simulator.json('GET', '/simulator/faults');
    expect(body).toHaveLength(1);
    const aborter = new AbortController();
    const hanging = fetch(`${simulator.url}/front/service/rest/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: signedBody(),
      signal: aborter.signal,
    });
    await waitFor(async () => (await simulator.ledger()).calls[0]?.answered === 'hang', {
      what: 'the call to be left hanging',
    });
    expect(await executed()).toBe(count);
    aborter.abort();
    await expect(hanging).rejects.toThrow('aborted');
  });

  it('an EXECCODE without execution', async () => {
    await simulator.fault({}, { execCode: '3004' });
    expect((await call()).answer.EXECCODE).toBe('3004');
    expect(await executed()).toBe(0);
  });

  it.each(Object.keys(EXECCODES))('the EXECCODE %s of the table', async (execCode) => {
    await simulator.fault({}, { execCode });
    const { answer } = await call();
    expect(answer).toMatchObject({ EXECCODE: execCode, MESSAGE: messageOf(execCode) });
    expect(answer.MESSAGE).not.toBe(messageOf('no such code'));
    expect(await executed()).toBe(0);
  });

  it('401', async () => {
    await simulator.fault({}, { unauthorized: true });
    const { status, headers } = await call();
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer/)]);
    expect(await executed()).toBe(0);
  });

  it('strikes only what it matches, and as often as it says', async () => {
    await simulator.fault(
      { operation: 'authorization', orderPrefix: 'bad-', merchant: 'shop', times: 2 },
      { execCode: '5001' },
    );
    const codes = [];
    for (const ORDERID of ['good-1', 'bad-1', 'bad-2', 'bad-3']) codes.push((await call({ ORDERID })).answer.EXECCODE);
    expect(codes).toEqual(['0002', '5001', '5001', '0002']);
    await simulator.json('DELETE', '/simulator/faults');
    expect((await simulator.json('GET', '/simulator/faults')).body).toEqual([]);
  });

  it('latency', async () => {
    await simulator.fault({}, { latencyMs: 100 });
    const began = performance.now();
    expect((await call()).answer.EXECCODE).toBe('0002');
    expect(performance.now() - began).toBeGreaterThanOrEqual(99);
  });

  it('latency: a second operation on the same initial transaction meanwhile gets 2017', async () => {
    const authorization = await simulator.authorized();
    await simulator.fault({ operation: 'capture', times: 1 }, { latencyMs: GATED_MS });
    const capture = async () =>
      (await simulator.operate({ OPERATIONTYPE: 'capture', TRANSACTIONID: authorization })).answer.EXECCODE;
    const first = capture();
    await waitFor(async () => (await simulator.ledger()).calls.some(({ operation }) => operation === 'capture'), {
      what: 'the first capture',
    });
    expect(await capture()).toBe('2017');
    open();
    expect(await first).toBe('0000');
    expect(await capture()).toBe('2005');
  });

  it('goes on and executes although the client has left during the latency', async () => {
    await simulator.fault({}, { latencyMs: GATED_MS });
    const gone = new AbortController();
    const left = fetch(`${simulator.url}/front/service/rest/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: signedBody(),
      signal: gone.signal,
    });
    await waitFor(async () => (await simulator.ledger()).calls.length === 1, { what: 'the call' });
    gone.abort();
    await expect(left).rejects.toThrow('aborted');
    // The ledger is read after the simulator has seen the connection close.
    expect(await executed()).toBe(0);
    open();
    await waitFor(async () => (await executed()) === 1, { what: 'the execution' });
  });

  it('says which fields of a rule are wrong', async () => {
    const { status, body } = await simulator.fault({ probability: 3 }, { latencyMs: 'long' });
    expect([status, body.error]).toEqual([400, 'wrong: match.probability, fault.latencyMs']);
  });
});

it.each(Object.keys(EXECCODES).filter((execCode) => execCode > '1000'))(
  'answers the EXECCODE %s by the last digits of AMOUNT',
  async (execCode) => {
    expect((await call({ AMOUNT: String(20_000 + Number(execCode)) })).answer.EXECCODE).toBe(execCode);
  },
);
