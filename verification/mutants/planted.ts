export interface PlantedText {
  name: string;
  find: string;
  replace: string;
}

/** Returns the compiled file with the bug or failpoint in it. @throws if the code has changed and the text no longer occurs exactly once */
export function planted(source: string, { name, find, replace }: PlantedText): string {
  const times = source.split(find).length - 1;
  if (times !== 1) throw new Error(`${name} is stale: its text occurs ${times} times: ${find}`);
  return source.replace(find, () => replace);
}
