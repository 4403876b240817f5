import type { Failure } from './types.gen';

/** Codes the page makes itself, beside those of types.gen's Failure. */
export type OwnCode = 'unreachable' | 'unreadable_answer';

/** Failed is what every bridge call throws: a stable code, the words of whoever
 * refused, and what to do about it where that is known. */
export class Failed extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'Failed';
    this.code = failure.code;
    this.hint = failure.hint;
  }
}

/** asFailed makes sure that a caught value has a code. */
export function asFailed(caught: unknown): Failed {
  if (caught instanceof Failed) return caught;
  if (isFailure(caught)) return new Failed(caught);
  return new Failed({
    code: 'unreachable',
    message: caught instanceof Error ? caught.message : String(caught),
  });
}

/** isFailure tells the shape of a Failure in a foreign value. */
export function isFailure(value: unknown): value is Failure {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    typeof value.code === 'string' &&
    'message' in value &&
    typeof value.message === 'string'
  );
}
