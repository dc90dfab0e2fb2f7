export interface PlantedText {
  name: string;
  /** Occurs exactly once in the compiled file. */
  find: string;
  replace: string;
}

/** The compiled file with the bug or the failpoint in it. @throws where the code has moved on and the text with it must. */
export function planted(source: string, { name, find, replace }: PlantedText): string {
  const times = source.split(find).length - 1;
  if (times !== 1) throw new Error(`${name} is stale: its text occurs ${times} times: ${find}`);
  return source.replace(find, () => replace);
}
