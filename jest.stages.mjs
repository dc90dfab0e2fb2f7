/** Jest's global set-up: stages that specs share start when the first spec asks for one (libs/testing/src/stages). */
import { KEEPER_VARIABLE, openStages } from './libs/testing/dist/stages/index.js';

export default async function setUp() {
  globalThis.stagesOfTests = await openStages();
  process.env[KEEPER_VARIABLE] = globalThis.stagesOfTests.url;
}
