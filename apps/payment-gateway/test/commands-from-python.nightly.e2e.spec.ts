import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { infrastructure, startApp, type RunningApp } from '@tranche/testing';
import { expectFiveInOrder, fiveOperationsOf, forwardedBy, isMisplaced, validateAtOnce } from './five-operations.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { pythonWithPackages } from './language-examples.js';

const ORDERS = 200;
const PREFIX = 'from-python-';
const python = pythonWithPackages();
const unlessAbsent = python === undefined ? it.skip : it;

let stack: GatewayStack;
const further: RunningApp[] = [];
afterAll(async () => {
  await Promise.all(further.map((app) => app.stop()));
  await stack?.stop();
});

unlessAbsent(
  'keeps the order of the commands that confluent-kafka for Python publishes with its own settings to three gateways',
  async () => {
    stack = await startGatewayStack();
    for (let count = 0; count < 2; count++) further.push(await startApp('payment-gateway', stack.env));
    await validateAtOnce(stack, PREFIX);
    const orderIds = Array.from({ length: ORDERS }, (_, at) => `${PREFIX}${at + 1}`);
    const commands = fiveOperationsOf(stack.prefix, 'shop-fr', orderIds);
    const lines = commands.map(({ value, ...command }) => JSON.stringify({ ...command, value: value.toString() }));
    const startedMs = performance.now();
    const published = spawnSync(python!, [join(__dirname, 'publish_commands.py'), infrastructure().brokers], {
      input: `${lines.join('\n')}\n`,
      encoding: 'utf8',
    });
    expect([published.stderr, published.status]).toEqual(['', 0]);
    await expectFiveInOrder(stack, orderIds);
    const seconds = Math.round(performance.now() - startedMs) / 1000;
    const forwarded = await forwardedBy('shop-fr', [stack.gateway, ...further]);
    console.log(`${commands.length} commands, ${forwarded} of them forwarded, executed in ${seconds} s`);
    expect(forwarded).toBeGreaterThanOrEqual(commands.filter(({ key }) => isMisplaced(key)).length);
  },
  300_000,
);
