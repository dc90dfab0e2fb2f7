import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '@tranche/testing';
import type { Failpoint } from './failpoints.js';
import type { ClockJump } from './strike.js';

/** The bytes at these points name no order, so they cannot be limited to a run's orders. */
const ORDERLESS = new Set(['during-commit', 'before-the-ok']);

export interface Arms {
  failpoints?: readonly Omit<Failpoint, 'order'>[];
  /** The process's wall clock jumps when it gets SIGUSR2. */
  clockJump?: ClockJump;
}

/** Returns variables that plant all failpoints in a service and arm these for orders with the prefix. */
export function armedEnv({ failpoints = [], clockJump }: Arms, orderPrefix: string): Record<string, string> {
  const root = pathToFileURL(`${repositoryRoot()}/`).href;
  const armed = failpoints.map((failpoint) => ({
    ...failpoint,
    order: ORDERLESS.has(failpoint.point) ? '' : orderPrefix,
  }));
  return {
    NODE_OPTIONS: `--import=${root}verification/dist/faults/failpoints/arm.js`,
    FAILPOINTS: JSON.stringify({ root, armed, clockJump }),
  };
}
