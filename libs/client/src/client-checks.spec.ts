import { ClientChecks } from './telemetry.js';

it('is ready and live if its parts are, and registers their checks with the service', () => {
  const registered: (() => string | undefined)[] = [];
  const register = (_name: string, check: () => string | undefined) => void registered.push(check);
  const checks = new ClientChecks({ addReadiness: register, addLiveness: register });
  const producer = checks.part();
  let trouble: string | undefined = 'Kafka is away';
  producer.addReadiness('producer', () => trouble);
  const consumer = checks.part();
  consumer.addLiveness('consumer', () => 'crashed');
  expect(checks.health()).toEqual({ isLive: false, isReady: false, reasons: ['crashed', 'Kafka is away'] });
  consumer.drop();
  expect(checks.health()).toEqual({ isLive: true, isReady: false, reasons: ['Kafka is away'] });
  trouble = undefined;
  expect(checks.health()).toEqual({ isLive: true, isReady: true, reasons: [] });
  expect(registered.map((check) => check())).toEqual([undefined, undefined]);
});

it('leaves nothing in the registry of the service when the client has ended', () => {
  const registered: (() => string | undefined)[] = [];
  const register = (_name: string, check: () => string | undefined) => void registered.push(check);
  const checks = new ClientChecks({ addReadiness: register, addLiveness: register });
  checks.part().addReadiness('producer', () => 'has not connected yet');
  checks.end('never connected');
  expect(checks.health().reasons).toEqual(['never connected']);
  expect(registered.map((check) => check())).toEqual([undefined]);
});
