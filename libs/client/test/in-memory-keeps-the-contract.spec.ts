import { publishingKeepsItsPromises } from './publishing-contract.js';
import { subscribingKeepsItsPromises } from './subscribing-contract.js';
import { inMemoryWorld } from './worlds.js';

describe('in memory, publishing', () => publishingKeepsItsPromises(inMemoryWorld));
describe('in memory, subscribing', () => subscribingKeepsItsPromises(inMemoryWorld));
