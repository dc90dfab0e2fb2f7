import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { validateAuditRecord, type AuditAction, type AuditRecord } from '@tranche/contracts';
import { Requires } from '@tranche/operators';
import { Problem } from '@tranche/service-kit';
import { operationIdOf } from '@tranche/order-journal';
import { lastValueFrom, defer } from 'rxjs';
import { AuditInterceptor } from './operator.guard.js';
import type { Audit } from './audit.service.js';

const id = operationIdOf({
  merchant: 'shop-fr',
  orderId: 'order/1',
  commandId: '8a1c1c5e-0000-4000-8000-000000000001',
});
const order = { merchant: 'shop-fr', orderId: 'order/1' };
const proposal = '8a1c1c5e-0000-4000-8000-000000000002';
const alice = { person: 'alice', role: 'operator' } as const;
const who = { operator: 'alice', role: 'operator' };

/** The result or error of a route, with the audit records written before and after it, in order. */
async function ask(
  action: AuditAction,
  request: { params?: object; query?: object; body?: object },
  work: () => unknown,
  before: (record: AuditRecord) => Promise<void> = () => Promise.resolve(),
) {
  const story: (AuditRecord | 'worked')[] = [];
  const route = () => undefined;
  Requires({ role: 'viewer', action })(route);
  const context = {
    switchToHttp: () => ({ getRequest: () => ({ ...request, headers: {}, operator: alice }) }),
    getHandler: () => route,
  } as unknown as ExecutionContext;
  const audit = {
    before: (record: AuditRecord) => (story.push(record), before(record)),
    note: (record: AuditRecord) => void story.push(record),
  } as unknown as Audit;
  const handle = () =>
    defer(() => {
      story.push('worked');
      return Promise.resolve(work());
    });
  const answer = await new AuditInterceptor(audit, new Reflector())
    .intercept(context, { handle })
    .then((stream) => lastValueFrom(stream))
    .catch((error: unknown) => error);
  for (const record of story) if (record !== 'worked') expect(validateAuditRecord(record).faults).toEqual([]);
  return { story, answer };
}

describe('the audit', () => {
  it('records a write before it is done, and its result', async () => {
    const request = { params: { id }, body: { outcome: 'succeeded', reason: 'seen in the back office' } };
    const { story } = await ask('resolution.submit', request, () => ({ id, state: 'succeeded' }));
    const commandId = '8a1c1c5e-0000-4000-8000-000000000001';
    const said = { action: 'resolution.submit', ...who, ...order, commandId, outcome: 'succeeded' };
    expect(story).toEqual([{ ...said, result: 'asked' }, 'worked', { ...said, result: 'done' }]);
  });

  it('prevents a change that it can not record', async () => {
    const problem = new Problem({ status: 503, code: 'audit_unavailable' });
    const { story, answer } = await ask(
      'resolution.approve',
      { params: { id: proposal } },
      () => ({}),
      () => Promise.reject(problem),
    );
    expect(answer).toBe(problem);
    expect(story).not.toContain('worked');
  });

  it('has a read after it was answered, and waits for nothing', async () => {
    const { story } = await ask('order.read', { params: order }, () => ({ ...order, status: 'captured' }));
    expect(story).toEqual(['worked', { action: 'order.read', ...who, ...order, result: 'done' }]);
  });

  it('has no list that was read, but who was refused one', async () => {
    const query = { merchant: 'shop-fr' };
    expect((await ask('doubts.read', { query }, () => ({ operations: [] }))).story).toEqual(['worked']);
    const { story } = await ask('doubts.read', { query }, () => {
      throw new Problem({ status: 403, code: 'merchant_not_allowed' });
    });
    expect(story.at(-1)).toMatchObject({ action: 'doubts.read', result: 'refused', code: 'merchant_not_allowed' });
  });

  it('names the order of a proposal, and marks what is only proposed', async () => {
    const proposed = { id: proposal, operation: id, proposedBy: 'alice', state: 'open' };
    const { story } = await ask('resolution.submit', { params: { id } }, () => proposed);
    expect(story.at(-1)).toMatchObject({ result: 'proposed', proposal, ...order });
    const approved = await ask('resolution.approve', { params: { id: proposal } }, () => ({ id, state: 'succeeded' }));
    expect(approved.story.at(-1)).toMatchObject({ result: 'done', proposal, ...order });
    const rejected = { ...proposed, state: 'rejected' };
    const { story: last } = await ask('resolution.reject', { params: { id: proposal } }, () => rejected);
    expect(last.at(-1)).toMatchObject({ result: 'done', proposal, ...order });
  });

  it('does not call done what the owner of its partition has not judged yet', async () => {
    const recorded = { id, recorded: { partition: 5, offset: '77' } };
    for (const [action, params] of [
      ['resolution.submit', { id }],
      ['resolution.approve', { id: proposal }],
    ] as const) {
      const { story } = await ask(action, { params }, () => recorded);
      expect(story.at(-1)).toMatchObject({ result: 'asked', code: 'recorded', ...order });
    }
  });

  it.each([
    [409, 'not_in_doubt', 'refused'],
    [503, 'resolution_not_confirmed', 'failed'],
  ])('has the code of a problem: %i %s', async (status, code, result) => {
    const { story } = await ask('resolution.submit', { params: { id } }, () => {
      throw new Problem({ status, code });
    });
    expect(story.at(-1)).toMatchObject({ result, code });
  });

  it('has nothing of a request that could be anything', async () => {
    const card = '4970101122334455';
    const anything = {
      params: { merchant: 'shop-fr', orderId: card, id: card },
      query: { merchant: card },
    };
    const { story } = await ask('order.read', { ...anything, body: { outcome: card, reason: card } }, () => undefined);
    expect(JSON.stringify(story)).not.toContain(card);
    expect(story.at(-1)).toEqual({ action: 'order.read', ...who, merchant: 'shop-fr', result: 'done' });
  });
});
