import { Module } from '@nestjs/common';
import { BrowserReturns } from './browser-return.service.js';
import { ReturnController } from './return.controller.js';

@Module({ controllers: [ReturnController], providers: [BrowserReturns], exports: [BrowserReturns] })
export class ReturnModule {}
