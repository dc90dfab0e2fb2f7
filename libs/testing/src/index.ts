export * from './broker-gate.js';
export * from './builders.js';
export * from './wait-for.js';
export * from './infrastructure.js';
export * from './apps.js';
export * from './events-of.js';
