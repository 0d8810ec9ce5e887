/**
 * The input of a decision that a number or word comes from: a host's report; the claims that hold room there; the metadata or the members
 * of aggregates; what operators set (status); the signs of life (liveness); the service according to Nova's document; a field of the
 * request, an extra spec of its flavor, a property of its image, a scheduler hint, its server group; an attestation; an option of the
 * profile; or a fixed rule.
 */
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

/** One input of a decision: as text, and as fields for further look-ups. */
export interface Source {
  readonly kind: SourceKind
  /** The name of the input: a field, a key, an aggregate's name and key, or `sequence 7, 2026-01-15T12:00:00.000Z`. */
  readonly ref: string
  readonly report?: ReportSource
  readonly claims?: ClaimsSource
  /** The aggregates with the value. */
  readonly aggregates?: readonly { readonly uuid: string; readonly name: string; readonly key: string }[]
}

/** The report that contained the number. */
export interface ReportSource {
  readonly incarnation: string
  readonly sequence: number
  /** Store time of the last report in the log, milliseconds since 1970. */
  readonly at: number
}

/** The claims that hold room which the host's report does not count. */
export interface ClaimsSource {
  readonly count: number
  /**
   * Units held by picks that were decided before on the same state and are no claims yet; negative: units of a claim that this request
   * moves.
   */
  readonly picked: number
  /** The reservations among them that end first, at most five: milliseconds since 1970, in store time. */
  readonly ending: readonly { readonly claim: string; readonly expiresAt: number }[]
}

/**
 * The kind of an amount: the total of a class without its reserve, a class that the host does not report, memory outside of huge pages,
 * free devices near the guest, or the amount that the unit rules of a class allow one instance.
 */
export type AmountOf = 'in all' | 'reported' | 'outside of huge pages' | typeof NEAR_CELLS | typeof FOR_ONE_INSTANCE

export const NEAR_CELLS = "near the guest's cells"
export const FOR_ONE_INSTANCE = 'for one instance'

/** Typed evidence: what was needed, what the host had, and the input that each of the two comes from. */
export interface Fact {
  readonly subject: string
  readonly required?: number | string
  readonly actual?: number | string
  readonly unit?: string
  /** Names which amount of the subject `actual` is, if a host has several; absent for the free amount. */
  readonly amountOf?: AmountOf
  /** The reserved amount and its source, as in a reason. */
  readonly reserved?: string
  readonly requiredFrom: Source
  readonly actualFrom: Source
  /**
   * The numbers that `actual` was computed from, if it was: floor((total - reserved) x ratio) - used - claimed, or as the terms are named;
   * or one that `required` follows from.
   */
  readonly terms?: readonly Term[]
}

/** A number that `actual` was computed from, or that `required` follows from. */
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
/** The source of a rule that no request and no profile can change. */
export const fromRule = (rule: string): Source => ({ kind: 'rule', ref: rule })

/** The shortfall of a fact: undefined where one side is not a number, or there is enough. */
export function shortfallOf({
  required,
  actual,
}: { readonly [Side in 'required' | 'actual']?: Fact[Side] | undefined }): number | undefined {
  return typeof required === 'number' && typeof actual === 'number' && required > actual ? required - actual : undefined
}
