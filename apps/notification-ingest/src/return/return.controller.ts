import { All, Controller, Param, Res } from '@nestjs/common';
import { parametersOf } from '../parameters-of-request.js';
import { Received, type ReceivedRequest } from '../received-request.js';
import { BrowserReturns, type Reply } from './browser-return.service.js';

/** The platform's REDIRECT_URL: redirects the cardholder's browser to the merchant, however it comes. It stores and publishes nothing. */
@Controller('return')
export class ReturnController {
  constructor(private readonly returns: BrowserReturns) {}

  @All(':merchant')
  sendOn(@Param('merchant') name: string, @Received() received: ReceivedRequest, @Res() reply: Reply): void {
    this.returns.answer(reply, name, () => parametersOf(received));
  }
}
