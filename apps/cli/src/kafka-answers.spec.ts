import { createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { kafkaAnswers } from './kafka-answers.js';

it('while Kafka is away each failure is printed with its cause, and the end says what to compare', async () => {
  const printed: string[] = [];
  jest.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line));
  const client = createKafkaClient({ brokers: ['127.0.0.1:1'], clientId: 'spec' }, silentLog);
  await expect(kafkaAnswers(client, 5)).rejects.toThrow(/at 127\.0\.0\.1:1 within 5 s \(.*ECONNREFUSED.*KAFKA_BROKERS/);
  expect(printed[0]).toMatch(/^Kafka does not answer at 127\.0\.0\.1:1; trying again for 5 s in all \(.*ECONNREFUSED/);
});
