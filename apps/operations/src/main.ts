import 'reflect-metadata';
import { runService } from '@tranche/service-kit';
import { operations } from './operations.module.js';

void runService(operations);
