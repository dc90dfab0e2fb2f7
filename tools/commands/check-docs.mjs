export const description =
  'documents against the repository: links, named files, rules of the interface and their tests; and tracked files against this machine';
export const exitCodes = { 1: 'something is wrong in them; a line for each says what' };

export async function run() {
  const { checkDocuments } = await import('../checks/documents.mjs');
  const { specCoverage } = await import('../checks/spec-coverage.mjs');
  const { count, faults } = checkDocuments();
  const all = [...faults, ...specCoverage().faults];
  all.forEach((fault) => console.error(fault));
  console.log(`${count} files checked, ${all.length} faults`);
  return all.length === 0 ? 0 : 1;
}
