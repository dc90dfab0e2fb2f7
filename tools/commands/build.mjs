import { bootstrap } from '../infra/bootstrap.mjs';

export const description =
  'compiles what changed, and makes one file of each app; in a fresh clone it installs the packages first';
export const exitCodes = {
  1: 'the code does not compile, or the packages can not be installed; what is wrong is printed',
};

export async function run({ held, log }) {
  await bootstrap({ held, log });
}
