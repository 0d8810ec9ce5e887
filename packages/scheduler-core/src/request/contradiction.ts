/** What of a request contradicts something else in it. */
export interface Contradiction {
  /** From the request on. */
  readonly path: readonly string[]
  readonly found: unknown
  /** The rest of a sentence that begins with "it must". */
  readonly rule: string
}
