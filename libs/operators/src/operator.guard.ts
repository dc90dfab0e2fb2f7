import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { assertMay, OperatorSignIn, Requires, type OperatorRequest, type RouteNeeds } from './sign-in.js';

/** What a service notes of those who asked: in its log, or in the audit. */
export abstract class OperatorNotes {
  abstract letIn(request: OperatorRequest, needs: RouteNeeds): void;
  /** The request has its operator where one was identified. */
  abstract refused(request: OperatorRequest, needs: RouteNeeds, error: unknown): void;
}

/** Identifies the operator and checks the role that the route requires. */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(
    private readonly signIn: OperatorSignIn,
    private readonly reflector: Reflector,
    private readonly notes: OperatorNotes,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<OperatorRequest>();
    const needs = this.reflector.get<RouteNeeds | undefined>(Requires.KEY, context.getHandler());
    try {
      request.operator = await this.signIn.operatorOf(request);
      if (needs === undefined) return false;
      assertMay(request.operator, needs);
    } catch (error) {
      if (needs) this.notes.refused(request, needs, error);
      throw error;
    }
    this.notes.letIn(request, needs);
    return true;
  }
}
