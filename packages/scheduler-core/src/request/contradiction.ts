/** A field of a request that contradicts another field. */
export interface Contradiction {
  /** The path of the field in the request. */
  readonly path: readonly string[]
  readonly found: unknown
  /** What the field must be. Completes a sentence that begins with "it must". */
  readonly rule: string
}
