import kafkajs, { type Kafka } from 'kafkajs';

export function kafka(): Kafka {
  return new kafkajs.Kafka({
    brokers: (process.env.KAFKA_BROKERS ?? '').split(','),
    clientId: 'bench-peer',
    logLevel: kafkajs.logLevel.ERROR,
  });
}
