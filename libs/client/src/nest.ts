import 'reflect-metadata';

export { OnPaymentEvent } from './on-payment-event.js';
export { TrancheModule, type TrancheModuleAsyncOptions, type TrancheModuleOptions } from './tranche.module.js';
export { Publisher } from './publisher.js';
export { Tranche } from './tranche.js';
