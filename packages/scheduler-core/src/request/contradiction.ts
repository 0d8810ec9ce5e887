/** A field of a request that contradicts another one. */
export interface Contradiction {
  /** The path inside the request. */
  readonly path: readonly string[]
  readonly found: unknown
  /** The rest of a sentence that begins with "it must". */
  readonly rule: string
}
