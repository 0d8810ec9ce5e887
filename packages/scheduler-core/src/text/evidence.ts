/**
 * The kind of input that a number or word in a fact was read from: a host's report; claims on the host; metadata or members of aggregates;
 * the status that operators set; heartbeats (liveness); the service in Nova's document; a field of the request, an extra spec of its
 * flavor, a property of its image, a scheduler hint, its server group; an attestation; an option of the profile; or a fixed rule.
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

/** One input of a decision, as text and as fields for further queries. */
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
  /** Store time of the last report in the log, in milliseconds since 1970. */
  readonly at: number
}

/** The claims on a host that its report does not count. */
export interface ClaimsSource {
  readonly count: number
  /**
   * The units that earlier instances of the same batch hold, which are not claims yet. Negative for the units of a claim that this request
   * moves.
   */
  readonly picked: number
  /** The five reservations that end first, with their store time in milliseconds since 1970. */
  readonly ending: readonly { readonly claim: string; readonly expiresAt: number }[]
}

/**
 * The type of an amount: the total of a class without its reserve, a class that the host does not report, memory outside of huge pages,
 * free devices near the guest, or the amount that the unit rules of a class allow one instance.
 */
export type AmountOf = 'in all' | 'reported' | 'outside of huge pages' | typeof NEAR_CELLS | typeof FOR_ONE_INSTANCE

export const NEAR_CELLS = "near the guest's cells"
export const FOR_ONE_INSTANCE = 'for one instance'

/** A fact behind a refusal: the needed value, the host's value, and the input that each value was read from. */
export interface Fact {
  readonly subject: string
  readonly required?: number | string
  readonly actual?: number | string
  readonly unit?: string
  /** Which amount of the subject `actual` is, if a host has several. Absent for the free amount. */
  readonly amountOf?: AmountOf
  /** The reserved amount and its source, as in a reason. */
  readonly reserved?: string
  readonly requiredFrom: Source
  readonly actualFrom: Source
  /**
   * The numbers from which `actual` was computed: floor((total - reserved) x ratio) - used - claimed, or other named terms. Also a number
   * from which `required` follows.
   */
  readonly terms?: readonly Term[]
}

/** A number from which `actual` or `required` follows. */
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
/** The source for a rule that no request and no profile can change. */
export const fromRule = (rule: string): Source => ({ kind: 'rule', ref: rule })

/** The shortfall of a fact; undefined if one side is not a number, or if there is enough. */
export function shortfallOf({
  required,
  actual,
}: { readonly [Side in 'required' | 'actual']?: Fact[Side] | undefined }): number | undefined {
  return typeof required === 'number' && typeof actual === 'number' && required > actual ? required - actual : undefined
}
