import 'reflect-metadata';

export { InMemoryTranche, type InMemoryTrancheOptions } from './in-memory-tranche.js';
export type { PublishedCommand, Script, ScriptedAnswer } from './in-memory-scripts.js';
