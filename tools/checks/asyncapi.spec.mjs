import { deadLetter } from '../../libs/kafka/src/consume/dead-letter.js';
import { OTHERS } from './asyncapi.mjs';

it('the document of the dead letter has the headers that a dead letter has', () => {
  const record = { topic: 'commands', partition: 3, offset: 7n, key: null, rawKey: null, headers: {}, timestampMs: 0 };
  const value = Buffer.from('{"cvv":"123"');
  const reason = { code: 'malformed_envelope', message: 'no JSON', attempts: 1 };
  const { headers } = deadLetter('dead', 'commands', { ...record, value }, reason);
  expect(Object.keys(headers).sort()).toEqual(Object.keys(OTHERS.commandsDeadLetter.headers).sort());
});
