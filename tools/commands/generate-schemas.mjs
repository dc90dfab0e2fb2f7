import { Expected } from '../infra/processes.mjs';

export const description =
  'writes the JSON Schemas of libs/contracts and the generated documents from the built classes';
export const options = { check: { help: 'writes nothing, and fails if they are stale' } };
export const exitCodes = { 1: 'the projects are not built, or with --check a file is stale' };

export async function run({ options: { check } }) {
  const { generatedDocuments, writeDocuments } = await import('../checks/generated-documents.mjs');
  const documents = await generatedDocuments();
  const stale = documents.filter(({ isStale }) => isStale).map(({ file }) => file);
  if (check && stale.length > 0)
    throw new Expected(
      `stale: ${stale.join(', ')}\nrun \`npm run build && npm run generate-schemas\` and commit these files`,
    );
  if (!check) writeDocuments(documents.filter(({ isStale }) => isStale));
  console.log(`${documents.length} files, ${check ? 'all current' : `${stale.length} changed`}`);
}
