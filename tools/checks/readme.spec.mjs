import { readFileSync } from 'node:fs';
import { decodeCloudEvent, orderKey, readMerchants } from '@tranche/contracts';
import { checkCommandGiven } from '../../apps/cli/src/commands/check-command.js';
import { givenCommands } from '../../apps/cli/src/commands/given-commands.js';
import { allSchemas } from '../../libs/contracts/test/all-schemas.js';
import { codeBlocks } from './code-blocks.mjs';

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));

it('names the benches that there are', () => {
  const [, row] = /^\| `npm run bench -- NAME`\s*\|(.*)\|$/m.exec(readFileSync('README.md', 'utf8'));
  const named = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const [, list] = /^const BENCHES: Bench\[\] = \[(.*)\];$/m.exec(readFileSync('verification/bench/main.ts', 'utf8'));
  expect(named.sort()).toEqual(list.split(', ').sort());
});

describe.each(['README.md', 'docs/README.md'])('%s shows a command and the event that answers it', (document) => {
  const blocks = codeBlocks(document, readFileSync(document, 'utf8')).filter(({ language }) => language === 'json');
  const [command, event] = blocks.map(({ code }) => JSON.parse(code));

  it('the gateway of the demo would accept the command, published as it stands', async () => {
    const { merchants } = readMerchants(read('config/merchants.demo.json'), () => '');
    const environment = { prefix: '', merchants, environmentId: 'demo', nowMs: Date.parse(command.headers.ce_time) };
    const [given] = givenCommands(JSON.stringify(command));
    expect(await checkCommandGiven(given, environment)).toMatchObject({ verdict: 'accepted', faults: [] });
    expect(command.key).toBe(orderKey(command.value.merchant, command.value.orderId));
  });

  it('the event is as the schemas describe it, without a field that they do not have', () => {
    const schemas = allSchemas();
    const { $id, $defs } = read('libs/contracts/schemas/payment-event.json');
    const type = event.headers.ce_type.replace(/(?:^|[._])(\w)/g, (_, letter) => letter.toUpperCase());
    const validate = schemas.compile({ $ref: `${$id}#/$defs/${type}` });
    validate(event.value);
    expect(validate.errors ?? []).toEqual([]);
    expect(Object.keys($defs.PaymentEventFields.properties)).toEqual(expect.arrayContaining(Object.keys(event.value)));
    const record = { headers: event.headers, value: Buffer.from(JSON.stringify(event.value)) };
    expect(decodeCloudEvent(record).faults ?? []).toEqual([]);
  });

  it('the event is about that command', () => {
    const { merchant, orderId, amount } = command.value;
    expect(event.key).toBe(command.key);
    expect(event.value).toMatchObject({ merchant, orderId, amount, commandId: command.headers.ce_id });
    expect(event.headers.ce_causationid).toBe(command.headers.ce_id);
    expect(event.topic).toBe('payments.events.v1');
  });
});
