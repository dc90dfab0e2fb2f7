import type { Need } from './infrastructure.js';
import type { Load } from './load.js';
import type { Violation } from './report.js';
import type { Stage } from './stage.js';
import type { StoryName } from './stories.js';
import type { RunSettings } from './surroundings.js';
import type { Traces } from './traces.js';

export interface Scenario {
  name: string;
  /** The report counts runs under this name. */
  fault: string;
  crashPoint?: string;
  /** These must be our own, so that they can be killed. */
  needs?: readonly Need[];
  /** Relative frequency (1); 0 means once per campaign. */
  weight?: number;
  /** Settings of a run's processes beside the usual ones; files go into the folder. */
  settings?(folder: string): RunSettings;
  load?: { orders?: number; perSecond?: number; stories?: readonly StoryName[] };
  /**
   * Starts gateways and the load, causes the fault and ends it. When it resolves, a gateway works or will soon; the run then waits until
   * all has settled.
   */
  run(stage: Stage, load: Load): Promise<void>;
  /** Looks at what the run left once its traces are read, before its processes end. Resolves to what must not be. */
  afterwards?(stage: Stage, traces: Traces): Promise<Violation[]>;
}
