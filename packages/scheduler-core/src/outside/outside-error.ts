import type { Code } from '../codes.ts'

/** Why a part that is asked outside of this process has no answer for a host, or for any: the host is refused with the verdict ERROR. */
export class OutsideError extends Error {
  override readonly name = 'OutsideError'
  readonly code: Extract<Code, 'outside.no_answer' | 'outside.failed' | 'outside.bad_answer'>

  constructor(code: OutsideError['code'], message: string) {
    super(message)
    this.code = code
  }
}
