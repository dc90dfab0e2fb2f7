export const description =
  'each rule of the platform’s interface is named by the title of a test, and no title names another one';
export const exitCodes = { 1: 'a rule has no test, or a name is that of no rule; a line for each says which' };

export async function run() {
  const { specCoverage } = await import('../checks/spec-coverage.mjs');
  const { count, faults } = specCoverage();
  faults.forEach((fault) => console.error(fault));
  console.log(`${count} rules checked, ${faults.length} faults`);
  return faults.length === 0 ? 0 : 1;
}
