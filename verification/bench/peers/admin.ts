import kafkajs, { type Admin } from 'kafkajs';

/** Our own library deletes no topics and sets no offsets of another group. */
export async function withAdmin(brokers: string, use: (admin: Admin) => Promise<void>): Promise<void> {
  const { Kafka, logLevel } = kafkajs;
  const admin = new Kafka({ brokers: brokers.split(','), clientId: 'bench', logLevel: logLevel.ERROR }).admin();
  await admin.connect();
  try {
    await use(admin);
  } finally {
    await admin.disconnect();
  }
}
