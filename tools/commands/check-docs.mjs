export const description =
  'documents against the repository: links, code, named files, each rule of the interface and its tests; and tracked files against this machine';
export const options = {
  blocks: { help: 'lists every block of code with how it is checked' },
};
export const exitCodes = { 1: 'something is wrong in them; a line for each says what' };

export async function run({ options }) {
  const { checkDocuments } = await import('../checks/documents.mjs');
  const { promisesDocument } = await import('../checks/promises.mjs');
  const { specCoverage } = await import('../checks/spec-coverage.mjs');
  const { count, faults, blocks } = await checkDocuments();
  if (options.blocks)
    for (const { document, line, language, how } of blocks) console.log(`${document}:${line} ${language}: ${how}`);
  // `npm run docs` makes a page of these; a text that cannot be made throws here.
  promisesDocument();
  const all = [...faults, ...specCoverage().faults];
  all.forEach((fault) => console.error(fault));
  console.log(`${count} files checked, ${all.length} faults`);
  return all.length === 0 ? 0 : 1;
}
