/** What the audit of a replica's state may find. Written once, never reused or renamed; docs/errors.md has a cure for each. */
export const auditCodes = {
  'state.over_capacity': 'A claim that was made after the host’s last report makes the host exceed what it has.',
  'state.host_gone': 'A claim is on a host that is not there.',
  'state.column': 'What a host is said to hold is not what its report and its claims give.',
  'state.orphan_claim': 'A claim is missing from an index that should list it.',
  'state.orphan_entry': 'An index lists what is not there, or is not as the index says.',
  'state.duplicate': 'Two claims or idempotency keys go by one name.',
  'instance.twice': 'One instance has two live claims in one project or account that are not the two ends of a move.',
  'instance.elsewhere': 'One instance has live claims in several projects or accounts.',
  'state.group_count': 'A server group does not count its members on a host as its claims do.',
  'state.diverged': 'Another replica has another state at the same revision.',
} as const

export type AuditCode = keyof typeof auditCodes

/**
 * Whether a finding says that this replica's own state is not what its log gives. The others are about what callers did: every replica has
 * them, a state with them may be kept and begun with, and no `replicaHeal` mends them.
 */
export const isOfState = (code: AuditCode): boolean => code.startsWith('state.')

/** The promise of docs/promises.md that each finding breaks. */
export const promiseOf: Readonly<Record<AuditCode, string>> = {
  'state.over_capacity': 'I1',
  'state.host_gone': 'I7',
  'state.column': 'I13',
  'state.orphan_claim': 'I13',
  'state.orphan_entry': 'I13',
  'state.duplicate': 'I4',
  'instance.twice': 'I17',
  'instance.elsewhere': 'I17',
  'state.group_count': 'I6',
  'state.diverged': 'I12',
}

/** What the audit looks at, one at a time. */
export type Subject = 'host' | 'claim' | 'reservation' | 'instance' | 'key' | 'group' | 'aggregate' | 'part'

/** One thing in a replica's state that cannot be. */
export interface Finding {
  readonly code: AuditCode
  /** What was looked at: the kind of thing, and its name. */
  readonly subject: Subject
  readonly name: string
  /** Where the host is known. */
  readonly host: string | null
  readonly claim: string | null
  /** Which column, index or member. */
  readonly field: string
  readonly expected: string
  readonly actual: string
}
