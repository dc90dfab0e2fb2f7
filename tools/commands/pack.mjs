import { relative, resolve } from 'node:path';
import { PACKAGES, packLibrary } from '../infra/npm-packages.mjs';
import { requireBuilt } from '../infra/built.mjs';

export const description =
  'makes the tarballs that `npm install FILE` installs, of the built client, contracts and card-encryption';
export const options = { folder: { value: 'FOLDER', help: 'where the tarballs go', default: 'dist' } };
export const exitCodes = { 1: 'the libraries are not built' };

export async function run({ options: { folder }, held }) {
  requireBuilt(...Object.keys(PACKAGES).map((name) => `libs/${name}/dist/index.js`));
  for (const name of Object.keys(PACKAGES)) {
    const tarball = await packLibrary(name, { folder: resolve(folder), work: held.folder(`pack-${name}-`) });
    console.log(relative('.', tarball));
  }
}
