import { validateAuthEventData, type AuthEvent } from '@tranche/contracts';
import { infrastructure, ownPrefix, waitFor, type EventsOf } from '@tranche/testing';
import { authEventsOf, metricOf, Replicas } from './replicas.js';
import { answerJson } from './token-api.js';

describe('auth.events.v1', () => {
  const replicas = new Replicas();
  const { brokers } = infrastructure();
  let events: EventsOf<AuthEvent> | undefined;
  afterEach(async () => {
    await events?.stop();
    events = undefined;
  });

  it('tells that a token was refreshed, invalidated or refused, and never a token', async () => {
    const topicPrefix = ownPrefix();
    const service = await replicas.start({ KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: topicPrefix });
    const topic = (events = await authEventsOf(topicPrefix));
    const first = await service.token();
    const second = await service.token('shop', first.fingerprint);
    replicas.api.answer = (response) =>
      answerJson(response, 401, { error: 'invalid_client', error_description: 'canary' });
    await service.post({ account: 'second' });

    await topic.next(({ type }) => type === 'auth.token.refused');
    await topic.next(({ type, data }) => type === 'auth.token.refreshed' && data.fingerprint === second.fingerprint);
    const told = topic.events.map(({ type, source, subject, data }) => {
      expect(validateAuthEventData(type, data).faults).toEqual([]);
      expect([source, subject]).toEqual(['auth-service', data.account]);
      return [type, data];
    });
    const life = expect.any(Number) as number;
    expect(told.filter(([, data]) => (data as AuthEvent).account === 'shop')).toEqual([
      ['auth.token.refreshed', { account: 'shop', fingerprint: first.fingerprint, expiresInSeconds: life }],
      ['auth.token.invalidated', { account: 'shop', fingerprint: first.fingerprint, reason: 'reported as refused' }],
      ['auth.token.refreshed', { account: 'shop', fingerprint: second.fingerprint, expiresInSeconds: life }],
    ]);
    expect(told.filter(([, data]) => (data as AuthEvent).account === 'second')).toEqual([
      [
        'auth.token.refused',
        { account: 'second', reason: 'The token API refused the account (HTTP 401, invalid_client).' },
      ],
    ]);
    const written = JSON.stringify(topic.events);
    for (const secret of [...replicas.api.tokens, 'canary']) expect(written).not.toContain(secret);
  });

  it('is not needed: with a Kafka that is away the service starts, is ready, answers and stops', async () => {
    const service = await replicas.start({ KAFKA_BROKERS: '127.0.0.1:1' });
    const { accessToken } = await service.token();
    expect(accessToken).toBe(replicas.api.tokens[0]);
    expect((await fetch(`${service.managementUrl}/health/ready`)).status).toBe(200);
    expect((await fetch(`${service.managementUrl}/health/live`)).status).toBe(200);
    const isSaid = () =>
      service.lines.some(({ message }) => String(message).startsWith('Kafka does not answer at 127.0.0.1:1'));
    await waitFor(isSaid, { what: 'the warning' });
    await service.stop();
  });

  it('is not written at all without KAFKA_BROKERS', async () => {
    const service = await replicas.start();
    await service.token();
    expect(await metricOf(service, 'kafka_events')).toEqual([]);
    // Nest lists its modules, the one for Kafka too.
    const said = service.lines.filter(({ context }) => context !== 'InstanceLoader');
    expect(said.filter(({ message }) => String(message).includes('Kafka'))).toEqual([]);
  });
});
