import { example, fakeOperations } from '../../test/fake-operations.js';
import { aTerminal } from '../../test/run-tranche.js';

const SCOPE = 'rail:partner-b';
const PUT = `PUT /v1/controls/${encodeURIComponent(SCOPE)}`;
const REASON = ['--reason', 'the platform is being mended'];
const control = (acknowledged: number) =>
  example('Control', { scope: SCOPE, acknowledged: acknowledged === 2, instances: { acknowledged, of: 2 } });

let operations: Awaited<ReturnType<typeof fakeOperations>>;
let terminal: ReturnType<typeof aTerminal>;
beforeAll(async () => {
  operations = await fakeOperations();
  terminal = aTerminal({ OPERATIONS_URL: operations.url, TRANCHE_TOKEN: 'token-of-alice' });
});
afterAll(async () => {
  await operations.close();
  terminal.close();
});
afterEach(() => jest.useRealTimers());

it('a rail is paused until a time, and the command waits until every instance has it', async () => {
  const answers: Record<string, object> = { [PUT]: control(0), 'GET /v1/controls': { controls: [control(1)] } };
  operations.says(answers);
  const run = terminal.run(['pause', SCOPE, '--for', '2h', ...REASON, '--yes']);
  const asked = () => operations.requests.filter(({ url }) => url === '/v1/controls').length;
  while (asked() === 0) await new Promise((next) => setImmediate(next));
  answers['GET /v1/controls'] = { controls: [control(2)] };
  const { code, err } = await run;
  expect(code).toBe(0);
  expect(err).toContain('paused in all 2 instances');
  expect(operations.requests.find(({ method }) => method === 'PUT')?.body).toEqual({
    reason: REASON[1],
    expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

it('a rail goes on', async () => {
  operations.says({ [`DELETE /v1/controls/${encodeURIComponent(SCOPE)}`]: control(2) });
  expect(await terminal.run(['resume', SCOPE, ...REASON, '--yes'])).toMatchObject({ code: 0 });
  expect(operations.requests).toMatchObject([{ method: 'DELETE', body: { reason: REASON[1] } }]);
});

it('lists what is paused, and the rails', async () => {
  operations.says({
    'GET /v1/controls': { controls: [control(1)] },
    'GET /v1/rails': { rails: [{ rail: 'partner-a', state: 'stopped', says: 'the platform can not be reached' }] },
    'GET /v1/calls': {
      ...{
        stepMinutes: 5,
        rails: [{ rail: 'partner-a', results: [{ result: 'refused', total: 3, numbers: [1, 2] }] }],
      },
    },
  });
  const { out } = await terminal.run(['controls']);
  expect(out).toMatch(/^rail:partner-b +pausing, 1 of 2 instances .* tranche resume rail:partner-b --reason '[^']+'$/m);
  expect(out).toMatch(/^rail:partner-a +stopped .* 3 refused +the platform can not be reached +leave it: .*$/m);
});

it.each(['partner-b', 'rail:', 'order:1'])('%s is no scope', async (scope) => {
  operations.says({});
  const { code, err } = await terminal.run(['pause', scope, '--reason', 'short']);
  expect(code).toBe(2);
  expect(err).toContain('rail:NAME or merchant:NAME');
  expect(err).toContain('10 to 500 characters');
  expect(operations.requests).toEqual([]);
});
