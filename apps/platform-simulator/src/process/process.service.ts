import type { Merchant, Merchants } from '@tranche/contracts';
import type { Call } from '../control/ledger.store.js';
import type { CallFault } from '../control/fault-rules.js';
import type { Faults } from '../control/faults.store.js';
import { parseFormBody, type FormBody } from '../request/flat-parameters.js';
import { checkForm, checkSignature, isRefusal, readOrder, type Order } from '../request/request-rules.js';
import type { Settings } from '../simulator.config.js';
import type { AccessTokens } from '../token-api/access-tokens.store.js';
import { refusal, type Refusal } from '../transactions/exec-codes.js';
import type { Books, Execution } from '../transactions/execution.service.js';
import type { Decisions } from '../transactions/decision.service.js';
import { executedAnswer, refusalAnswer, type Answer } from './answer.js';
import {
  disturbanceAfter,
  disturbanceBefore,
  latencyOf,
  nameOf,
  pause,
  type Disturbance,
} from './interference.service.js';

export type Reply = { readonly kind: 'answer'; readonly answer: Answer } | Disturbance;

export interface ProcessParts {
  readonly merchants: Merchants;
  readonly books: Books;
  readonly execution: Execution;
  readonly decisions: Decisions;
  readonly faults: Faults;
  readonly accessTokens: AccessTokens;
}

export class ProcessService {
  constructor(
    private readonly parts: ProcessParts,
    private readonly settings: Pick<Settings, 'latencyMs' | 'takesUnlistedParameters'>,
    private readonly formAddress: (transactionId: string) => string,
  ) {}

  /** Called before the body is read. */
  isLostWhileReading(): boolean {
    if (!this.parts.faults.strikesUnread()) return false;
    this.parts.books.ledger.received('', new Map()).answered = 'reset';
    return true;
  }

  async process(body: string, bearer: string | undefined): Promise<Reply> {
    const form = parseFormBody(body);
    if (form === undefined) return answered(refusalAnswer('', refusal('1005')));
    const { parameters } = form;
    const operation = parameters.get('OPERATIONTYPE') ?? '';
    const merchant = this.parts.merchants.byIdentifier(parameters.get('IDENTIFIER') ?? '');
    const call = this.parts.books.ledger.received(operation.slice(0, 32), parameters);
    const fault = this.parts.faults.ofCall({
      operation,
      orderId: call.orderId,
      merchant: merchant?.merchant,
      identifier: call.identifier,
    });
    const latencyMs = latencyOf(fault, this.settings.latencyMs);

    const lostBefore = disturbanceBefore(fault);
    if (lostBefore !== undefined || fault?.execCode !== undefined) {
      await pause(latencyMs);
      return closed(call, lostBefore ?? answered(refusalAnswer(operation, refusal(fault?.execCode ?? ''))));
    }
    const reply = await this.answer({ form, operation, merchant, bearer, call, latencyMs, fault });
    if (reply.kind !== 'answer') return closed(call, reply);
    const said = fault?.wrongOperationType ? ofAnotherOperation(reply.answer) : reply.answer;
    const answer = withPageOf(fault?.pageBytes ?? 0, said);
    return closed(call, disturbanceAfter(fault, answer) ?? answered(answer));
  }

  private async answer(request: {
    form: FormBody;
    operation: string;
    merchant: Merchant | undefined;
    bearer: string | undefined;
    call: Call;
    latencyMs: number;
    fault: CallFault | undefined;
  }): Promise<Reply> {
    const { form, operation, merchant, latencyMs } = request;
    const refused = checkForm(form) ?? (merchant === undefined ? refusal('1002', 'IDENTIFIER') : undefined);
    if (refused !== undefined || merchant === undefined)
      return this.refuse(operation, refused ?? refusal('1005'), latencyMs);
    if (merchant.authAccount !== undefined && !this.parts.accessTokens.isValid(request.bearer, merchant.authAccount)) {
      await pause(latencyMs);
      return { kind: 'unauthorized' };
    }
    const rules = { nowMs: this.parts.books.clock.nowMs(), takesUnlisted: this.settings.takesUnlistedParameters };
    const order = checkSignature(form.parameters, merchant) ?? readOrder(form.parameters, merchant, rules);
    if (isRefusal(order)) return this.refuse(operation, order, latencyMs);

    const { transactions } = this.parts.books;
    const initialId = this.initialOf(order, merchant);
    if (initialId !== undefined && transactions.isBusy(initialId))
      return this.refuse(operation, refusal('2017'), latencyMs);
    if (latencyMs > 0) {
      if (initialId !== undefined) transactions.occupy(initialId);
      await pause(latencyMs);
      if (initialId !== undefined) transactions.release(initialId);
    }
    this.parts.decisions.expireOverdue();
    const executed = this.parts.execution.execute(order, form.parameters, merchant, request.fault);
    if (isRefusal(executed)) return answered(refusalAnswer(operation, executed));
    request.call.executed = true;
    const { transaction } = executed;
    return answered(
      executedAnswer(transaction, executed.answered, merchant, this.formAddress(transaction.transactionId)),
    );
  }

  private async refuse(operation: string, refused: Refusal, latencyMs: number): Promise<Reply> {
    await pause(latencyMs);
    return answered(refusalAnswer(operation, refused));
  }

  private initialOf(order: Order, { identifier }: Merchant): string | undefined {
    return order.kind === 'followUp'
      ? this.parts.books.transactions.findOf(identifier, order.transactionId)?.initialId
      : undefined;
  }
}

const answered = (answer: Answer): Reply => ({ kind: 'answer', answer });

const ofAnotherOperation = (answer: Answer): Answer => ({
  ...answer,
  OPERATIONTYPE: answer.OPERATIONTYPE === 'capture' ? 'refund' : 'capture',
});

/** A comment behind the page fills it up. */
function withPageOf(bytes: number, answer: Answer): Answer {
  if (bytes === 0 || answer.REDIRECTHTML === undefined) return answer;
  const page = Buffer.from(answer.REDIRECTHTML, 'base64').toString();
  return { ...answer, REDIRECTHTML: Buffer.from(`${page}<!--${'x'.repeat(bytes)}-->`).toString('base64') };
}

function closed(call: Call, reply: Reply): Reply {
  call.answered = reply.kind === 'answer' ? reply.answer.EXECCODE : nameOf(reply);
  return reply;
}
