import { authorization } from '../commands.js';
import { platformCall } from './platform-call.js';

/** undici alone makes COUNT calls, IN_FLIGHT at a time, without Kafka. */
export async function run(): Promise<void> {
  const call = platformCall();
  const count = Number(process.env.COUNT);
  let next = 0;
  const worker = async () => {
    while (next < count) await call(authorization(next++));
  };
  await Promise.all(Array.from({ length: Number(process.env.IN_FLIGHT) }, worker));
}
