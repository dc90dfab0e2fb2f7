import { relative, resolve } from 'node:path';
import { bootstrap } from '../infra/bootstrap.mjs';
import { PACKAGES, packLibrary } from '../infra/npm-packages.mjs';

export const description =
  'makes the tarballs that `npm install FILE` installs, of client, contracts and card-encryption';
export const options = { folder: { value: 'FOLDER', help: 'where the tarballs go', default: 'dist' } };

export async function run({ options: { folder }, held, log }) {
  await bootstrap({ held, log });
  for (const name of Object.keys(PACKAGES)) {
    const tarball = await packLibrary(name, { folder: resolve(folder), work: held.folder(`pack-${name}-`) });
    console.log(relative('.', tarball));
  }
}
