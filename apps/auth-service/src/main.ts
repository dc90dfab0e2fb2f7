import 'reflect-metadata';
import { runService } from '@tranche/service-kit';
import { authService } from './auth.module.js';

void runService(authService);
