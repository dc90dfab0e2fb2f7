import { createLogger, Metrics, ServiceLifetime } from '@tranche/service-kit';
import { databaseOf, ownSchema, postgresOfTests } from '../../test/postgres.js';
import { AttentionGauges } from './attention-gauges.service.js';

const log = createLogger({ name: 'spec', destination: { write: () => undefined } });

it('counts frozen orders and payments that an operator may decide, with the oldest and the time to act by', async () => {
  const server = await postgresOfTests();
  const database = databaseOf(server.url, ownSchema());
  try {
    await database.migrate();
    const { sql } = database;
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);
    const rows = [
      ['frozen', 'shop-fr', -2, -2, null],
      ['open_to_operator', 'shop-fr', -30, -6, 5],
      ['open_to_operator', 'shop-fr', -40, -16, 3],
      ['open_to_operator', 'shop-fr', -1, 23, 100],
      ['doubt', 'shop-fr', -1, -1, null],
    ] as const;
    for (const [number, [kind, merchant, since, openFrom, actBy]] of rows.entries())
      await sql`
        insert into attention (key, id, kind, merchant, order_id, since, open_from, act_by, urgent_at, body)
        values (${`${merchant}/${number}`}, ${String(number)}, ${kind}, ${merchant}, ${String(number)}, ${at(since)}, ${at(openFrom)},
          ${actBy === null ? null : at(actBy)}, ${at(0)}, '{}')`;
    const metrics = new Metrics('spec');
    await new AttentionGauges(database, new ServiceLifetime(), log, metrics).measure();
    const text = (await metrics.registry.metrics()).replaceAll(',service="spec"', '');
    const lines = text.split('\n').filter((line) => line.startsWith('tranche_attention'));
    const read = Object.fromEntries(lines.map((line) => line.split(' ') as [string, string]));
    const of = (name: string, kind: string) => Number(read[`${name}{kind="${kind}",merchant="shop-fr"}`]);
    expect(Object.keys(read)).toHaveLength(5);
    expect([of('tranche_attention', 'frozen'), of('tranche_attention', 'open_to_operator')]).toEqual([1, 2]);
    expect(of('tranche_attention_oldest_age_seconds', 'frozen') / 3_600).toBeCloseTo(2, 1);
    expect(of('tranche_attention_oldest_age_seconds', 'open_to_operator') / 3_600).toBeCloseTo(40, 1);
    expect((of('tranche_attention_act_by_seconds', 'open_to_operator') - Date.now() / 1000) / 3_600).toBeCloseTo(3, 1);
  } finally {
    await database.onApplicationShutdown();
    await server.close();
  }
}, 60_000);
