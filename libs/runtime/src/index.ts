export * from './reports.js';
export * from './time.js';
export * from './values.js';
