import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { encodeCloudEvent } from '@tranche/contracts';
import { aCommand, aPartnerAAuthorization } from '@tranche/testing';
import { givenCommands, readInput } from './given-commands.js';

const data = aPartnerAAuthorization();
const event = aCommand('payment.authorize', data);
const { headers, value } = encodeCloudEvent(event);
const cloudEvent = { specversion: '1.0', ...event };

it('reads a CloudEvent as the record of structured mode, with the key that its content asks for', () => {
  expect(givenCommands(JSON.stringify(cloudEvent, null, 2))).toEqual([
    {
      at: 'command',
      record: {
        key: 'shop-fr/order-1',
        headers: { 'content-type': 'application/cloudevents+json' },
        value: Buffer.from(JSON.stringify(cloudEvent)),
      },
      isValueRewritten: true,
    },
  ]);
});

it('reads a record with its bytes as they are', () => {
  const record = { topic: 't', key: 'k', headers, value: ` ${value.toString()}`, partition: 3, timestamp: 7 };
  expect(givenCommands(JSON.stringify(record))).toEqual([
    {
      ...{ at: 'command', topic: 't', partition: 3, isValueRewritten: false },
      record: { key: 'k', headers, value: Buffer.from(` ${value.toString()}`), timestampMs: 7 },
    },
  ]);
});

it('reads what kcat -J prints, and sees a header that is there twice', () => {
  const kcat = {
    ...{ topic: 't', partition: 3, offset: 4, tstype: 'logappend', ts: 5, broker: 1 },
    ...{ headers: [...Object.entries(headers).flat(), 'ce_id', 'twice'], key: null, payload: value.toString() },
  };
  const record = { key: null, headers, value, repeatedHeaders: ['ce_id'], timestampMs: 5 };
  expect(givenCommands(JSON.stringify(kcat))).toEqual([
    { at: 'command', topic: 't', partition: 3, record, isValueRewritten: false },
  ]);
});

it('reads a list, and one command per line, and names the place of each', () => {
  const one = JSON.stringify({ headers, value: data });
  expect(givenCommands(`[${one},${one}]`).map(({ at }) => at)).toEqual(['command 1', 'command 2']);
  expect(givenCommands(`${one}\n\n${one}\n`).map(({ at }) => at)).toEqual(['line 1', 'line 3']);
});

it.each([
  ['', 'input', 'is empty'],
  ['{}\nnot JSON\n', 'line 2', 'is not JSON'],
  ['[1]', 'command', 'is no command'],
  ['{"headers":{"ce_id":7},"value":{}}', 'command', 'is no command'],
])('of %j says where and what is wrong', (text, at, fault) => {
  expect(givenCommands(text)).toContainEqual({ at, fault: expect.stringContaining(fault) as string });
});

it('a file that is not there is named', () => {
  expect(() => readInput('/nowhere/at/all')).toThrow('/nowhere/at/all cannot be read');
});

it('an empty list is no command that would be accepted', () =>
  expect(givenCommands('[]')).toEqual([{ at: 'input', fault: 'is empty' }]));

it('bytes that are no text are not read as another text', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'tranche-given-')), 'latin-1.json');
  writeFileSync(file, Buffer.from('{"specversion":"1.0","id":"café"}', 'latin1'));
  expect(() => readInput(file)).toThrow('cannot be read as text in UTF-8');
  rmSync(dirname(file), { recursive: true });
});

it.each([
  ['a command', `{"specversion":"1.0","data":{"amount":1,"\\u0061mount":2}}`, 'command', 'data.amount'],
  ['the second of a list', `[{"a":1},{"headers":{},"headers":{}}]`, 'command 2', '[1].headers'],
  ['a line', `{"a":1}\n{"a":1,"a":2}`, 'line 2', 'a'],
])('refuses a name that %s has twice, with its path and position', (_what, text, at, path) => {
  const found = givenCommands(text).find((one) => one.at === at);
  expect(found).toMatchObject({
    fault: expect.stringMatching(/is there twice: .* at character \d+ of the JSON$/) as string,
  });
  expect(found).toMatchObject({ fault: expect.stringContaining(`${path} is`) as string });
});
