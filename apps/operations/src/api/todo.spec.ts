import { TOPICS } from '@tranche/contracts';
import { todoOf } from './todo.js';

const entry = { id: '3-42', merchant: 'shop-fr', body: {}, closed: null };
const ofLetter = (kind: string, body = {}) => todoOf(TOPICS.commandsDeadLetter.name, { ...entry, kind, body });
const ofQuarantine = (kind: string, more = {}) =>
  todoOf(TOPICS.notificationsQuarantine.name, { ...entry, kind, ...more });
const MEND = "tranche replay 3-42 --command mended.json --reason 'what was mended, ticket NUMBER' --dry-run";

it.each([
  ['unreadable', `its commands need no signature, from a file: ${MEND}`],
  ['unknown_merchant', MEND],
  ['handler_failed', "tranche jobs replay 3-42 --reason 'fault mended, ticket NUMBER' --dry-run"],
])('a dead letter that can be mended, %s, ends with the command that does it', (kind, end) => {
  expect(ofLetter(kind)?.endsWith(end)).toBe(true);
});

it('what was withheld of a dead letter is to be written anew', () => {
  expect(ofLetter('unreadable', { withheld: 'value' })).toContain('write the whole command');
});

it.each([
  ['signature_refused', 'never replay it'],
  ['journal_resumed', 'look in the back office'],
  ['unreadable_batch', 'can not be mended'],
])('a dead letter that no replay helps, %s, has no command', (kind, says) => {
  expect(ofLetter(kind)).toContain(says);
  expect(ofLetter(kind)).not.toContain('tranche ');
});

it('an entry of the quarantine is a forgery, or verified again with the right key', () => {
  const said = ofQuarantine('hash_mismatch');
  expect(said).toMatch(/^A forgery: leave it, .* never replay it/);
  expect(said).toMatch(/: tranche quarantine reverify --merchant shop-fr --dry-run$/);
  expect(ofQuarantine('unknown_identifier', { merchant: '' })).toMatch(
    /IDENTIFIER .*: tranche quarantine reverify --dry-run$/,
  );
});

it.each([
  ['hash_mismatch', { body: { altered: true } }, 'Leave it'],
  ['not_found', {}, 'NOTIFICATION_URL'],
  ['unreadable', {}, 'NOTIFICATION_URL'],
  ['no_order', {}, 'TRANSACTIONID'],
  ['hash_mismatch', { closed: { verdict: 'published' } }, 'Nothing'],
])('an entry of the quarantine that nothing can verify, or that was verified, has no command: %s %j', (kind, more, says) => {
  expect(ofQuarantine(kind, more)).toContain(says);
  expect(ofQuarantine(kind, more)).not.toContain('tranche ');
}); // prettier-ignore

it('the audit has nothing to do', () => {
  expect(todoOf(TOPICS.operationsAudit.name, { ...entry, kind: 'command.replay' })).toBeUndefined();
});
