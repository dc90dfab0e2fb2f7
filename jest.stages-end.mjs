/** Jest's global tear-down: ends what jest.stages.mjs began. */
export default async function tearDown() {
  await globalThis.stagesOfTests?.close();
}
