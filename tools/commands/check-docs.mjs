import { TEMPORARY } from './variables.mjs';

export const description =
  'documents against the repository: links, code, named files, settings; and tracked files against this machine';
export const options = {
  blocks: { help: 'lists every block of code with how it is checked' },
  interface: { value: 'FILE', help: "the platform's interface: its sentences are held against the list of them" },
};
export const variables = TEMPORARY;
export const exitCodes = { 1: 'something is wrong in them; a line for each says what' };

export async function run({ options }) {
  const { checkDocuments } = await import('../checks/documents.mjs');
  const { count, faults, blocks } = await checkDocuments(options.interface);
  if (options.blocks)
    for (const { document, line, language, how } of blocks) console.log(`${document}:${line} ${language}: ${how}`);
  faults.forEach((fault) => console.error(fault));
  console.log(`${count} files checked, ${faults.length} faults`);
  return faults.length === 0 ? 0 : 1;
}
