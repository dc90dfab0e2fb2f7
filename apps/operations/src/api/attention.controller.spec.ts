import { AttentionController } from './attention.controller.js';
import type { AttentionItem } from './attention.store.js';
import { AttentionQuery } from './queries.js';

const olga = { person: 'olga', role: 'operator' } as const;
const doubt: AttentionItem = { kind: 'doubt', id: 'd', merchant: 'shop-fr', amount: 25_000, about: {} };
const letters = { kind: 'dead_letters', merchant: 'shop-fr', number: 3, about: { reason: 'invalid' } };

function setUp({ next, answers = {} }: { next?: string; answers?: Record<string, object> } = {}) {
  const store = {
    page: () => Promise.resolve({ items: [doubt], ...(next !== undefined && { next }) }),
    counts: () => Promise.resolve([{ kind: 'doubt', number: 1 }]),
    groups: () => Promise.resolve([letters]),
  };
  const projection = {
    progress: () => [{ topic: 't', partition: 1, next: '0', behind: 0, stopped: 'unreadable' }],
    behind: () => 0,
  };
  const gateway = { read: (url: string) => Promise.resolve(answers[url]) };
  const of = [store, projection, gateway] as unknown as ConstructorParameters<typeof AttentionController>;
  const controller = new AttentionController(...of);
  const list = (query: Partial<AttentionQuery> = {}) =>
    controller.list(Object.assign(new AttentionQuery(), query), { headers: {} }, olga);
  const kinds = async (query?: Partial<AttentionQuery>) => (await list(query)).items.map(({ kind }) => kind);
  return { list, kinds };
}

it('what stops work comes first, then money, and dead letters end the last page', async () => {
  expect(await setUp().kinds()).toEqual(['partition', 'doubt', 'dead_letters']);
  const further = setUp({ next: 'more' });
  expect(await further.kinds()).toEqual(['partition', 'doubt']);
  expect(await further.kinds({ cursor: 'behind' })).toEqual(['doubt']);
  expect(await setUp().kinds({ cursor: 'behind' })).toEqual(['doubt', 'dead_letters']);
  expect(await setUp().kinds({ kind: 'dead_letters' })).toEqual(['doubt', 'dead_letters']);
  expect(await setUp().kinds({ minAmount: 1 })).toEqual(['doubt']);
  expect((await further.list()).counts).toContainEqual({ kind: 'dead_letters', number: 3 });
});

it('names the partitions of the gateway’s index that are being built, and no others', async () => {
  const missing = [
    { partition: 3, code: 'being_built' },
    { partition: 4, code: 'unreachable' },
  ];
  const { list } = setUp({ answers: { '/v1/frozen-orders?limit=1': { orders: [], missing } } });
  expect((await list()).beingBuilt).toEqual([3]);
  expect(await setUp().list()).not.toHaveProperty('beingBuilt');
});
