import 'reflect-metadata';
import { runService } from '@tranche/service-kit';
import { notificationIngest } from './ingest.module.js';

void runService(notificationIngest);
