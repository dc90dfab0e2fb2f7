import { recordHash } from '@tranche/order-journal';
import { createLogger } from '@tranche/service-kit';
import { TopicInMemory } from '../../test/topic-in-memory.js';
import type { GatewayConfig } from '../gateway.config.js';
import type { OidcConfig } from '../operations/oidc/oidc.config.js';
import { Decisions } from './decisions.service.js';
import { JournalDecisions } from './journal-decisions.service.js';

const AT = '2026-03-01T10:00:00.000Z';
const alice = { person: 'alice', role: 'approver' } as const;
const bob = { person: 'bob', role: 'approver' } as const;
const poison = { key: 'shop-fr/o', value: Buffer.from('{"record":') };
const skip = { partition: 3, offset: '7', hash: recordHash(poison.value), reason: 'a broker disk lied' };
const resume = { partition: 3, log: { low: '40', last: { offset: '49', hash: 'abc' } }, epoch: 0, reason: 'disk lost' };
const facts = { commandEnds: { 'payments.commands.card.v1': ['7', '0'] } };

/** `started`: the decisions that a process which starts now loads. */
function setUp(oidc: Pick<OidcConfig, 'issuer'> = {}) {
  const topic = new TopicInMemory();
  const clock = { nowMs: () => Date.parse(AT), monotonicMs: () => 0, sleep: () => Promise.resolve() };
  const log = createLogger({ name: 'spec', destination: { write: () => undefined } });
  const decisions = new Decisions({ operators: { oidc } } as GatewayConfig, topic.asTopic, clock, log);
  const started = async () => {
    const one = new JournalDecisions(decisions);
    await one.load();
    return one;
  };
  return { started, topic };
}

const refused = (status: number, code: string) => expect.objectContaining({ status, code }) as Error;

describe('a journal record is skipped', () => {
  it('from the next start on, where one person proposed it and another approved it', async () => {
    const { started } = setUp();
    const running = await started();
    const { id } = await running.proposeSkip(skip, alice);
    expect((await started()).skipped.substitute(poison)).toBe(poison);
    await expect(running.open(id, alice)).rejects.toEqual(refused(403, 'same_operator'));
    const approved = await running.approve(await running.open(id, bob), bob);
    const names = { proposedBy: 'alice', proposedAt: AT, approvedBy: 'bob', approvedAt: AT };
    expect(approved).toEqual({ id, ...skip, ...names });
    expect(await running.list()).toEqual([approved]);
    expect(running.skipped.substitute(poison)).toBe(poison);
    expect((await started()).skipped.substitute(poison)).not.toBe(poison);
    await expect(running.open(id, alice)).rejects.toEqual(refused(409, 'already_decided'));
    await expect(running.open('none', bob)).rejects.toEqual(refused(404, 'decision_unknown'));
  });

  it('by one proposal, also once it was approved', async () => {
    const { started } = setUp();
    const running = await started();
    const { id } = await running.proposeSkip(skip, alice);
    expect((await running.proposeSkip(skip, bob)).id).toBe(id);
    await running.approve(await running.open(id, bob), bob);
    expect((await running.proposeSkip({ ...skip, partition: 4 }, bob)).id).toBe(id);
    expect((await running.proposeSkip({ ...skip, hash: 'other' }, bob)).id).not.toBe(id);
  });

  it('by no key without a person where tokens of an issuer name people', async () => {
    const { started } = setUp({ issuer: 'https://issuer.example' });
    const running = await started();
    const key = { ...alice, isPersonMissing: true } as const;
    await expect(running.proposeSkip(skip, key)).rejects.toEqual(refused(403, 'person_needed'));
    await expect(running.proposeResume(resume, key)).rejects.toEqual(refused(403, 'person_needed'));
    const { id } = await running.proposeSkip(skip, bob);
    await expect(running.open(id, key)).rejects.toEqual(refused(403, 'person_needed'));
  });
});

describe('a stopped partition goes on', () => {
  it('from the next start on, once, by an approval with the ends of the command topics', async () => {
    const { started } = setUp();
    const running = await started();
    const { id } = await running.proposeResume(resume, alice);
    expect((await started()).resumes.isEmpty).toBe(true);
    const decision = await running.open(id, bob);
    await expect(running.approve(decision, bob)).rejects.toEqual(refused(503, 'word_not_confirmed'));
    const approved = await running.approve(decision, bob, facts);
    expect(approved).toMatchObject({ id, kind: 'resume', ...resume, ...facts, approvedBy: 'bob', approvedAt: AT });
    expect(running.resumes.isEmpty).toBe(true);
    const next = await started();
    expect(next.resumes.pending).toMatchObject([{ id, ...resume, ...facts, proposedBy: 'alice', approvedBy: 'bob' }]);
    await next.applied(next.resumes.pending[0]!);
    expect(next.resumes.pending).toEqual([]);
    const last = await started();
    expect([last.resumes.pending, last.resumes.isEmpty]).toEqual([[], false]);
    expect(await last.list()).toMatchObject([{ id, appliedAt: AT }]);
  });

  it('by one proposal while it is open; once it was approved it may have to go on again', async () => {
    const { started } = setUp();
    const running = await started();
    const { id } = await running.proposeResume(resume, alice);
    expect((await running.proposeResume(resume, bob)).id).toBe(id);
    expect((await running.proposeResume({ ...resume, log: { low: '41' } }, bob)).id).not.toBe(id);
    await running.approve(await running.open(id, bob), bob, facts);
    expect((await running.proposeResume(resume, bob)).id).not.toBe(id);
  });
});

it('a start deletes old decisions about orders, and none about the journal', async () => {
  const { started, topic } = setUp();
  await (await started()).proposeSkip(skip, alice);
  const over = { proposedBy: 'alice', proposedAt: '2026-01-01T10:00:00Z', expiresAt: '2026-01-02T10:00:00Z' };
  const subject = { operation: 'o', merchant: 'shop-fr', seen: '1', resolution: { outcome: 'refused' } };
  await topic.append({ record: 'proposed', id: 'x', kind: 'resolution', about: 'o 1', subject, ...over } as never);
  await started();
  expect(topic.deleted).toEqual(['x/2']);
});
