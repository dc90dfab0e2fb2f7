import type { Row } from './report.js';
import type { Infrastructure } from './stage.js';

/** Part of a bench that can be run alone with `--only`; its rows' names begin with its own. */
export interface Part {
  name: string;
  run(context: Context): Promise<Row[]>;
}

export interface Context extends Infrastructure {
  /** Progress, on stderr. */
  log: (line: string) => void;
  /** Commands, where a part's default is to be changed. */
  commands?: number;
}

export interface Bench {
  name: string;
  /** In one line, for the list of what there is. */
  about: string;
  parts: Part[];
}
