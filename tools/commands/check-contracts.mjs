import { Expected } from '../infra/processes.mjs';
import { breakingChanges, keepRelease, lastRelease, RELEASED, schemasIn } from '../checks/compatibility.mjs';

export const description = 'compares the JSON Schemas with those of the last release: says which change breaks whom';
export const options = {
  release: {
    value: 'VERSION',
    help: 'keeps the schemas of today as those of the release VERSION',
    check: (text) => (/^\d+\.\d+\.\d+$/.test(text) ? undefined : `${text} must have the form 1.2.3`),
  },
};
export const exitCodes = { 1: 'a change breaks readers or writers that were made for the last release' };

export async function run({ options: { release } }) {
  if (release !== undefined) {
    keepRelease(release);
    console.log(`the schemas are kept in ${RELEASED}/${release}: commit them`);
    return;
  }
  const version = lastRelease();
  if (version === undefined)
    throw new Expected(`${RELEASED} has no release: run check-contracts --release VERSION at a release`);
  const changes = breakingChanges(schemasIn(`${RELEASED}/${version}`), schemasIn());
  const lines = changes.map(({ at, change, breaks }) => `${at}: ${change}\n  breaks ${breaks}`);
  if (lines.length > 0)
    throw new Expected(
      `${lines.join('\n')}\ngive the message a new version beside the old one, or take the change back`,
    );
  console.log(`the schemas are compatible with release ${version}`);
}
