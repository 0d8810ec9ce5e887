/** The kind of input from which a value in a fact was read. `rule` is a fixed rule of the service. */
export type SourceKind =
  | 'report'
  | 'claims'
  | 'aggregate'
  | 'status'
  | 'liveness'
  | 'service'
  | 'request'
  | 'extra_spec'
  | 'image_property'
  | 'hint'
  | 'group'
  | 'attestation'
  | 'option'
  | 'rule'

/**
 * The input from which a value in a fact was read. `report`, `claims` and `aggregates` identify the input, for example for further queries
 * of the API.
 */
export interface Source {
  readonly kind: SourceKind
  /** Names the input: a field, a key, an aggregate with a key, or a report (`sequence 7, 2026-01-15T12:00:00.000Z`). */
  readonly ref: string
  readonly report?: ReportSource
  readonly claims?: ClaimsSource
  /** The aggregates whose metadata has the value. */
  readonly aggregates?: readonly { readonly uuid: string; readonly name: string; readonly key: string }[]
}

/** The report from which a value was read. */
export interface ReportSource {
  readonly incarnation: string
  readonly sequence: number
  /** When the report was written to the log, in milliseconds since 1970 (the database's clock). */
  readonly at: number
}

/** The claims on a host that its report does not include. */
export interface ClaimsSource {
  readonly count: number
  /**
   * The amount that was chosen for earlier instances in the same batch of decisions, for which no claims exist yet. Negative if the request
   * moves a claim, because the claim's amount is then free.
   */
  readonly picked: number
  /** The five reservations that expire first, or fewer, with their end times in milliseconds since 1970. */
  readonly ending: readonly { readonly claim: string; readonly expiresAt: number }[]
}

/**
 * Which amount of a resource a fact states. `in total`: the total without the reserved amount. `reported`: the reported amount, which is 0
 * because the host does not report the class. NEAR_CELLS: free devices near the guest's cells. FOR_ONE_INSTANCE: what the unit rules of the
 * class allow one instance. WITH_SHARE_FREE: devices of which the requested share is free.
 */
export type AmountOf =
  | 'in total'
  | 'reported'
  | 'outside of huge pages'
  | typeof NEAR_CELLS
  | typeof FOR_ONE_INSTANCE
  | typeof WITH_SHARE_FREE

export const NEAR_CELLS = "near the guest's cells"
export const FOR_ONE_INSTANCE = 'for one instance'
export const WITH_SHARE_FREE = 'with the requested share free' as const

/** A comparison that led to a refusal: the required value, the host's value, and the input from which each value was read. */
export interface Fact {
  readonly subject: string
  readonly required?: number | string
  readonly actual?: number | string
  readonly unit?: string
  /** Says which amount of the resource `actual` is. Absent if `actual` is the free amount. */
  readonly amountOf?: AmountOf
  /** The reserved amount and where it is set, as a part of the sentence. */
  readonly reserved?: string
  readonly requiredFrom: Source
  readonly actualFrom: Source
  /**
   * The numbers from which `actual` was computed, for example those of floor((total - reserved) x ratio) - used - claimed. A number from
   * which `required` was computed can be among them.
   */
  readonly terms?: readonly Term[]
}

/** A number from which `actual` or `required` of a fact was computed. */
export interface Term {
  readonly name: string
  readonly value: number
  readonly from: Source
}

export const fromRequest = (field: string): Source => ({ kind: 'request', ref: field })
export const fromExtraSpec = (key: string): Source => ({ kind: 'extra_spec', ref: key })
export const fromImage = (property: string): Source => ({ kind: 'image_property', ref: property })
export const fromHint = (hint: string): Source => ({ kind: 'hint', ref: hint })
export const fromOption = (option: string): Source => ({ kind: 'option', ref: option })
/** The source of a value that is fixed by a rule of the service. No request and no profile can change such a value. */
export const fromRule = (rule: string): Source => ({ kind: 'rule', ref: rule })

/** The missing amount: `required` minus `actual`. Undefined if `required` or `actual` is not a number, or if nothing is missing. */
export function shortfallOf({
  required,
  actual,
}: { readonly [Side in 'required' | 'actual']?: Fact[Side] | undefined }): number | undefined {
  return typeof required === 'number' && typeof actual === 'number' && required > actual ? required - actual : undefined
}
