import type { z } from 'zod'
import type { HostState } from './host-state.ts'
import type { NovaRequest } from './objects/request.ts'

/** One of Nova's weighers: a raw number per host, and under which name its multiplier is configured. */
export interface NovaWeigher {
  readonly name: string
  readonly description: string
  readonly unit: string
  /** The option of the multiplier, and the key of aggregates that sets it for their hosts. */
  readonly multiplier: {
    readonly option: string
    /** The aggregates' key where it is not the option's name. */
    readonly key?: string
    readonly byDefault: number
    /** The sum counts the negative of it, as BuildFailureWeigher's. */
    readonly negated?: true
  }
  /** The spread is measured from here instead of from the least raw number. */
  readonly minval?: number
  readonly options: z.ZodType
  /** Throws NovaError where Nova raises. */
  prepare(request: NovaRequest, options: Readonly<Record<string, unknown>>): (host: HostState) => number
}
