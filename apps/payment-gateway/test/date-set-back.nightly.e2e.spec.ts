import { TOPICS } from '@tranche/contracts';
import { aPartnerBAuthorization, waitFor, type RunningApp } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { keptRecords } from './kept-records.js';

const WEEKS_MS = 83 * 86_400_000;
const SECOND_MS = 1_000;

/** Replaces the process's date: weeks behind, or right. SIGUSR2 switches it. */
const settableDate = (isBehind: boolean) => {
  const script = `
    let isBehind = ${isBehind};
    const RealDate = Date;
    const now = () => RealDate.now() - (isBehind ? ${WEEKS_MS} : 0);
    globalThis.Date = new Proxy(RealDate, {
      construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
      get: (target, name, self) => (name === 'now' ? now : Reflect.get(target, name, self)),
    });
    process.on('SIGUSR2', () => (isBehind = !isBehind));`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
};
const changeDate = ({ pid }: RunningApp) => process.kill(pid, 'SIGUSR2');
const readiness = async ({ managementUrl }: RunningApp) => (await fetch(`${managementUrl}/health/ready`)).text();

let stack: GatewayStack;
afterEach(() => stack.stop());

/** Age of the oldest journal record by its own time. Milliseconds. */
async function oldestRecordMs({ prefix }: GatewayStack): Promise<number> {
  const records = await keptRecords(prefix, TOPICS.journal);
  const times = records.map(({ value }) => Date.parse((JSON.parse(String(value)) as { at: string }).at));
  return Date.now() - Math.min(...times);
}

it('a date that goes back by weeks comes into no record: time goes on from when it last agreed with Redis', async () => {
  const startMs = Date.now();
  stack = await startGatewayStack(settableDate(false));
  const authorize = (orderId: string) => stack.send('payment.authorize', aPartnerBAuthorization({ orderId }));
  await authorize('pays');
  const { data } = await stack.event('pays', 'payment.authorize.redirect_required');

  changeDate(stack.gateway);
  await Promise.all(Array.from({ length: 40 }, (_, n) => authorize(`under-way-${n}`)));
  await waitFor(async () => (await readiness(stack.gateway)).includes('apart'), { what: 'the wrong date to be seen' });
  const { transactionId } = data;
  await stack.notify({ orderId: 'pays', operationType: 'authorization', transactionId, execCode: '0000' });
  await stack.event('pays', 'payment.authorize.succeeded');
  expect(await oldestRecordMs(stack)).toBeLessThan(Date.now() - startMs + SECOND_MS);

  changeDate(stack.gateway);
  for (let n = 0; n < 40; n++) await stack.event(`under-way-${n}`, 'payment.authorize.redirect_required');
  expect(await oldestRecordMs(stack)).toBeLessThan(Date.now() - startMs + SECOND_MS);
}, 120_000);

it('a gateway that starts with a date weeks behind writes nothing until the date agrees', async () => {
  const startMs = Date.now();
  stack = await startGatewayStack(settableDate(true), {}, { readyPath: undefined });
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: 'waits' }));
  const said = /Agreement with Redis on the time.*the clocks of this service and of Redis are 71712\d\d s apart/;
  await waitFor(() => stack.gateway.logs.some((line) => said.test(line)), { what: 'the reason' });
  expect(await keptRecords(stack.prefix, TOPICS.journal)).toEqual([]);

  changeDate(stack.gateway);
  await stack.event('waits', 'payment.authorize.redirect_required');
  expect(await oldestRecordMs(stack)).toBeLessThan(Date.now() - startMs + SECOND_MS);
}, 120_000);
