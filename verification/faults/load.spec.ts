import { createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { Random } from '../simulation/random.js';
import { Load } from './load.js';
import { STORY_NAMES, type StoryName } from './stories.js';

/** The load is never started, so it does not connect. */
const planned = (seed: number, orders: number, stories?: readonly StoryName[]) =>
  new Load({
    client: createKafkaClient({ brokers: ['127.0.0.1:1'], clientId: 'spec' }, silentLog),
    ...{ topicPrefix: 'spec.', simulatorUrl: 'http://127.0.0.1:1', orderPrefix: 'run4294967295-' },
    ...{ random: new Random(seed), orders, perSecond: 4 },
    ...(stories ? { stories } : {}),
  }).orders;

it('plans the same orders from the same seed, others from another', () => {
  expect(planned(1, 30)).toEqual(planned(1, 30));
  expect(planned(1, 30)).not.toEqual(planned(2, 30));
});

it('tells every story before it tells one again', () => {
  const stories = planned(7, 2 * STORY_NAMES.length).map(({ story }) => story);
  expect(stories.slice(0, STORY_NAMES.length).sort()).toEqual([...STORY_NAMES].sort());
  expect(stories.slice(STORY_NAMES.length).sort()).toEqual([...STORY_NAMES].sort());
  expect(new Set(planned(7, 5, ['void', 'card']).map(({ story }) => story))).toEqual(new Set(['void', 'card']));
});

it('gives each order a name of its own that the platform takes, and its time', () => {
  const orders = planned(3, 40);
  expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(40);
  expect(Math.max(...orders.map(({ orderId }) => orderId.length))).toBeLessThanOrEqual(40);
  expect(orders.slice(0, 3).map(({ atMs }) => atMs)).toEqual([0, 250, 500]);
});
