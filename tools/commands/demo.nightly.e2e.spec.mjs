import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { demos } from '../demo/test/started-demo.mjs';
import { SERVICES } from '../infra/apps.mjs';

const { temporary, start, leftOvers } = demos();

it('plays every scenario and ends with one JSON line, and keeps the logs where it was told to', async () => {
  const logs = join(temporary, 'logs');
  const { said, exited } = start('--json', '--logs', logs);
  const exitCode = await exited;
  if (exitCode !== 0) throw new Error(`demo ended with ${exitCode}\n${said.stderr}`);
  const result = JSON.parse(said.stdout.trimEnd().split('\n').at(-1));
  expect(result).toMatchObject({ passed: 13, failed: 0 });
  const eventsOf = (name) => result.scenarios.find((scenario) => scenario.name === name).events;
  expect(eventsOf('method-a-capture-refund')).toEqual([
    'payment.authorize.redirect_required',
    'payment.authorize.succeeded',
    'payment.capture.succeeded',
    'payment.refund.succeeded',
    'payment.capture.rejected',
  ]);
  expect(eventsOf('card-payment')).toEqual(['payment.pay.succeeded']);
  expect(eventsOf('card-refused')).toEqual(['payment.pay.refused']);
  for (const doubtful of ['gateway-killed', 'platform-timeout']) {
    expect(eventsOf(doubtful).slice(-2)).toEqual(['payment.capture.in_doubt', 'payment.capture.doubt_resolved']);
  }
  expect(eventsOf('back-office-refund').slice(-3)).toEqual([
    'payment.operation.external',
    'payment.refund.rejected',
    'payment.refund.succeeded',
  ]);
  expect(eventsOf('pending-expires').slice(-2)).toEqual(['payment.authorize.pending', 'payment.authorize.expired']);
  expect(eventsOf('capture-window').slice(-2)).toEqual(['payment.capture_window.closing', 'payment.capture.refused']);
  const measured = Object.keys(SERVICES).filter((name) => name !== 'platform-simulator');
  expect(readdirSync(logs).sort()).toEqual(
    [...Object.keys(SERVICES).map((name) => `${name}.log`), ...measured.map((name) => `${name}.metrics`)].sort(),
  );
  expect(leftOvers()).toEqual([]);
}, 900_000);
