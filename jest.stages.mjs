/** Jest's global set-up: stages that specs share start when the first spec asks for one (libs/testing/src/stages). */
import { SERVERS_WANTED } from './libs/testing/dist/infrastructure.js';
import { KEEPER_VARIABLE, openStages } from './libs/testing/dist/stages/index.js';

export default async function setUp() {
  // Specs without servers run all the same, so this stops nothing: each of the others fails with this line.
  if (!process.env.KAFKA_BROKERS || !process.env.REDIS_URL) console.error(SERVERS_WANTED);
  globalThis.stagesOfTests = await openStages();
  process.env[KEEPER_VARIABLE] = globalThis.stagesOfTests.url;
}
