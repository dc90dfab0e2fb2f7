import { publishingKeepsItsPromises } from './publishing-contract.js';
import { subscribingKeepsItsPromises } from './subscribing-contract.js';
import { kafkaWorld } from './worlds.js';

describe('on Kafka, publishing', () => publishingKeepsItsPromises(kafkaWorld));
describe('on Kafka, subscribing', () => subscribingKeepsItsPromises(kafkaWorld));
