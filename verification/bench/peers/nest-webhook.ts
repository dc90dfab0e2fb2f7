import {
  Body,
  Controller,
  ForbiddenException,
  Get,
  Header,
  HttpCode,
  Inject,
  Module,
  Post,
  Query,
} from '@nestjs/common';
import { serveNest } from './nest-app.js';
import { openWebhook, type Parameters, type Webhook } from './webhook.js';

const WEBHOOK = Symbol('Webhook');

@Controller()
class NotificationController {
  constructor(@Inject(WEBHOOK) private readonly webhook: Webhook) {}

  @Get('health')
  health(): string {
    return 'OK';
  }

  @Get('notifications')
  @Header('content-type', 'text/plain')
  byGet(@Query() parameters: Parameters): Promise<string> {
    return this.take(parameters);
  }

  @Post('notifications')
  @HttpCode(200)
  @Header('content-type', 'text/plain')
  byPost(@Body() parameters: Parameters): Promise<string> {
    return this.take(parameters);
  }

  private async take(parameters: Parameters): Promise<string> {
    if (!(await this.webhook(parameters))) throw new ForbiddenException();
    return 'OK';
  }
}

@Module({ controllers: [NotificationController], providers: [{ provide: WEBHOOK, useFactory: openWebhook }] })
class PeerModule {}

export function run(): Promise<void> {
  return serveNest(PeerModule);
}
