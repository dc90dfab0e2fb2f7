import 'reflect-metadata';
import { runService } from '@tranche/service-kit';
import { cseTokenService } from './cse.module.js';

void runService(cseTokenService);
