export * from './builders.js';
export * from './wait-for.js';
