/** V8's CPU profile, as far as it is read here. */
export interface CpuProfile {
  /** Each after its parent. */
  nodes: { id: number; children?: number[]; callFrame: { functionName: string; url: string } }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

export interface HotFunctions {
  /** Share of the time in which nothing was done. */
  idle: number;
  /** The hottest first, with the share of their own time, without what they called, in the time that was not idle. */
  functions: { name: string; share: number }[];
}

/**
 * Folds a profile by function and file. What has no file, such as `(garbage collector)`, keeps V8's name. What the profiler itself takes,
 * most of it at its start, is left out.
 */
export function hotFunctions({ nodes, samples, timeDeltas }: CpuProfile, most: number): HotFunctions {
  const ofProfiler = new Set<number>();
  for (const { id, children = [], callFrame } of nodes)
    if (ofProfiler.has(id) || callFrame.url.endsWith(PROFILER)) [id, ...children].forEach((one) => ofProfiler.add(one));
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const selfUs = new Map<string, number>();
  let totalUs = 0;
  samples.forEach((node, n) => {
    if (ofProfiler.has(node)) return;
    const us = Math.max(0, timeDeltas[n] ?? 0); // a sample may be dated before the one that it follows
    const name = names.get(node) ?? '(unknown)';
    selfUs.set(name, (selfUs.get(name) ?? 0) + us);
    totalUs += us;
  });
  const idleUs = selfUs.get('(idle)') ?? 0;
  selfUs.delete('(idle)');
  const hottest = [...selfUs].sort(([, a], [, b]) => b - a).slice(0, most);
  return {
    idle: idleUs / totalUs,
    functions: hottest.map(([name, us]) => ({ name, share: us / (totalUs - idleUs) })),
  };
}

const PROFILER = '/bench/profiler.js';

function nameOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string {
  const name = functionName || '(anonymous)';
  const file = url.replace(/^file:\/\//, '').replace(/^.*\/(?=(?:node_modules|apps|libs)\/)/, '');
  return file === '' ? name : `${name} ${file.replace(/^node_modules\//, '')}`;
}
