/**
 * Loaded by `NODE_OPTIONS=--import=…/arm.js` with `FAILPOINTS={"root": URL of the repository, "hook": URL of plant-hook.js, "armed": […],
 * "clockJump"?: {"ms"}}`.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { jumpClock, type ClockJump } from './clock-jump.js';
import type { Failpoint } from './failpoints.js';
import { strikeThisProcess } from './strike.js';

interface Arms {
  root: string;
  hook: string;
  armed: Failpoint[];
  clockJump?: ClockJump;
}

const { root, hook, armed, clockJump } = JSON.parse(process.env.FAILPOINTS ?? '{"armed":[]}') as Arms;
if (isMainThread) {
  strikeThisProcess(armed);
  if (clockJump) jumpClock(clockJump);
  register(hook, { data: root });
}
