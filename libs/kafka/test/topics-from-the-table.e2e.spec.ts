import { TOPICS } from '@tranche/contracts';
import { checkTopics, ensureTopics } from '../src/index.js';
import { Bench } from './support.js';

describe('topics', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('are created from the table once, and what does not fit the table is told', async () => {
    const definitions = [TOPICS.journal, TOPICS.authEvents];
    const { prefix, client, log } = bench;
    const ensure = () => ensureTopics(client, { prefix, definitions, replicationFactor: 1, minInSyncReplicas: 1, log });
    const created = () => log.lines.filter(({ message }) => message === 'created topics').length;
    await ensure();
    // It is 0 if Kafka's answer was lost: the retry then finds the topics.
    const atFirst = created();
    expect(atFirst).toBeLessThanOrEqual(1);
    await ensure();
    expect(created()).toBe(atFirst);
    const found = await checkTopics(client, { prefix, definitions, production: false });
    expect(found.filter(({ severity }) => severity === 'fault')).toEqual([]);
    expect(found.map(({ topic, message }) => `${topic} ${message}`)).toContain(
      `${prefix}payments.journal.v1 has 1 replicas, must have 3`,
    );
    const inProduction = await checkTopics(client, { prefix, definitions, production: true });
    const faults = inProduction.filter(({ severity }) => severity === 'fault');
    expect(faults).toHaveLength(4);
    // This broker names no rack. The journal must survive a power loss; a service's events need not.
    expect(inProduction.filter((fault) => !faults.includes(fault))).toEqual([
      {
        topic: `${prefix}payments.journal.v1`,
        severity: 'warning',
        message: expect.stringContaining('some of its brokers name no rack') as string,
      },
    ]);
    const otherwise = [{ ...TOPICS.authEvents, partitions: 13 }];
    expect((await checkTopics(client, { prefix, definitions: otherwise, production: false }))[0]).toEqual({
      topic: `${prefix}auth.events.v1`,
      severity: 'fault',
      message: 'has 12 partitions, must have at least 13',
    });
  });
});
