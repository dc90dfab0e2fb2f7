import type { Row } from './report.js';
import type { Infrastructure } from './stage.js';

/** A part can be run alone with `--only`; the names of its rows begin with its name. */
export interface Part {
  name: string;
  run(context: Context): Promise<Row[]>;
}

export interface Context extends Infrastructure {
  log: (line: string) => void;
  /** Replaces the part's default number of commands. */
  commands?: number;
}

export interface Bench {
  name: string;
  about: string;
  parts: Part[];
}
