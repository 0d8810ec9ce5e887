import type { Code } from '../text/codes.ts'

/**
 * Why a filter or weigher outside of this process has no answer, for one host or for all. A host without an answer is refused with the
 * verdict ERROR.
 */
export class OutsideError extends Error {
  override readonly name = 'OutsideError'
  readonly code: Extract<Code, 'outside.no_answer' | 'outside.failed' | 'outside.bad_answer'>

  constructor(code: OutsideError['code'], message: string) {
    super(message)
    this.code = code
  }
}
