/**
 * Which input of a decision said a number or a word: a host's report; the claims that hold room there; the metadata or the members of
 * aggregates; what operators set (status); the signs of life (liveness); the service as Nova's document tells of it; a field of the request,
 * an extra spec of its flavor, a property of its image, a scheduler hint, its server group; an attestation; an option of the profile; or a
 * rule that nobody can set.
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

/** One of those inputs: which one, in words, and as fields what a reader may look up. */
export interface Source {
  readonly kind: SourceKind
  /** Which one: the field, the key, the aggregate's name and key, `sequence 7, 2026-01-15T12:00:00.000Z`. */
  readonly ref: string
  readonly report?: ReportSource
  readonly claims?: ClaimsSource
  /** The aggregates that say it. */
  readonly aggregates?: readonly { readonly uuid: string; readonly name: string; readonly key: string }[]
}

/** The report that a number was in. */
export interface ReportSource {
  readonly incarnation: string
  readonly sequence: number
  /** Store time of the last report in the log, milliseconds since 1970. */
  readonly at: number
}

/** The claims that hold room which the host's report does not count. */
export interface ClaimsSource {
  readonly count: number
  /** Units held by picks that were decided before on the same state and are no claims yet; negative: of a claim that this request moves. */
  readonly picked: number
  /** The reservations among them that end first, at most five: milliseconds since 1970, in store time. */
  readonly ending: readonly { readonly claim: string; readonly expiresAt: number }[]
}

/**
 * All of a class that there is and is not kept back, a class of which the host reports nothing, what is left of memory beside the huge pages,
 * devices that are left in the right place, or what the unit rules of a class let one instance have.
 */
export type AmountOf = 'in all' | 'reported' | 'outside of huge pages' | typeof NEAR_CELLS | typeof FOR_ONE_INSTANCE

export const NEAR_CELLS = "near the guest's cells"
export const FOR_ONE_INSTANCE = 'for one instance'

/** Typed evidence: what was needed, what the host had, and from which input each of the two came. */
export interface Fact {
  readonly subject: string
  readonly required?: number | string
  readonly actual?: number | string
  readonly unit?: string
  /** Which amount of the subject `actual` is, where a host has several; absent: what is left. */
  readonly amountOf?: AmountOf
  /** As a reason says it: how much of it the host keeps back, and who says so. */
  readonly reserved?: string
  readonly requiredFrom: Source
  readonly actualFrom: Source
  /** How `actual` was worked out, where it was: `actual` is floor((total - reserved) x ratio) - used - claimed, or as the terms are named. */
  readonly terms?: readonly Term[]
}

/** A number that `actual` was worked out of. */
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
/** Of a rule that no request and no profile can change. */
export const fromRule = (rule: string): Source => ({ kind: 'rule', ref: rule })

/** By how much a fact is short: undefined where one side is no number, or there is enough. */
export function shortfallOf({
  required,
  actual,
}: { readonly [Side in 'required' | 'actual']?: Fact[Side] | undefined }): number | undefined {
  return typeof required === 'number' && typeof actual === 'number' && required > actual ? required - actual : undefined
}
