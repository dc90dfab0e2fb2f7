import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '@tranche/testing';
import type { ClockJump } from './clock-jump.js';
import type { Failpoint } from './failpoints.js';

/** Points whose bytes name no order. */
const ORDERLESS = new Set(['during-commit', 'before-the-ok']);

export interface Arms {
  failpoints?: readonly Omit<Failpoint, 'order'>[];
  /** The process's wall clock jumps when it gets SIGUSR2. */
  clockJump?: ClockJump;
}

/** Variables that plant all failpoints in a service of ours, and arm these for the orders of the prefix. */
export function armedEnv({ failpoints = [], clockJump }: Arms, orderPrefix: string): Record<string, string> {
  const root = pathToFileURL(`${repositoryRoot()}/`).href;
  const compiled = `${root}verification/dist/faults/failpoints/`;
  const armed = failpoints.map((failpoint) => ({
    ...failpoint,
    order: ORDERLESS.has(failpoint.point) ? '' : orderPrefix,
  }));
  return {
    NODE_OPTIONS: `--import=${compiled}arm.js`,
    FAILPOINTS: JSON.stringify({ root, hook: `${compiled}plant-hook.js`, armed, clockJump }),
  };
}
