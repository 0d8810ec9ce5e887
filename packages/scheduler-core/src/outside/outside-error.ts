import type { Code } from '../text/codes.ts'

/**
 * Thrown if a filter or weigher outside of this process has no valid answer, for one host or for all hosts. The host is then refused with
 * the verdict ERROR.
 */
export class OutsideError extends Error {
  override readonly name = 'OutsideError'
  readonly code: Extract<Code, 'outside.no_answer' | 'outside.failed' | 'outside.bad_answer'>

  constructor(code: OutsideError['code'], message: string) {
    super(message)
    this.code = code
  }
}
