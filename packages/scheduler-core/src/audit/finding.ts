import type { HostWarning } from '../fleet/warnings.ts'
import type { HostIndex } from '../values/host-index.ts'

/** What the audit of a replica's state may find. Codes are never reused or renamed; docs/errors.md has a cure for each. */
export const auditCodes = {
  'state.over_capacity': 'A claim that was made after the host’s last report makes the host exceed what it has.',
  'state.host_gone': 'A claim is on a host that does not exist.',
  'state.column': 'What a host is said to hold is not what its report and its claims give.',
  'state.orphan_claim': 'A claim is missing from an index that should list it.',
  'state.orphan_entry': 'An index lists something that does not exist, or that does not match the index.',
  'state.duplicate': 'Two claims or idempotency keys go by one name.',
  'instance.twice': 'One instance has two live claims in one project or account that are not the two ends of a move.',
  'instance.elsewhere': 'One instance has live claims in several projects or accounts.',
  'instance.two_hosts': 'Several hosts list one instance that is not moving between them.',
  'instance.other_host': 'Another host lists the instance of a claim than the one on which the claim is.',
  'instance.unlisted': 'No host has listed the instance of a confirmed claim for longer than the stated time.',
  'instance.unclaimed': 'A host lists instances for which no claim is held.',
  'host.same_machine': 'Hosts of different names report one machine.',
  'state.group_count': 'A server group does not count its members on a host as its claims do.',
  'state.diverged': 'Another replica has another state at the same revision.',
} as const

/** The codes above, and those of the warnings of a host whose reported use contradicts its claims. */
export type AuditCode = keyof typeof auditCodes | HostWarning['code']

/**
 * Whether a finding means that this replica's own state differs from the one that its log implies. All other findings
 * are about actions of callers and hosts: every replica has them, a replica may start from a state with them, and
 * `replicaHeal` repairs none of them.
 */
export const isOfState = (code: AuditCode): code is Extract<AuditCode, `state.${string}`> => code.startsWith('state.')

/**
 * How serious a finding is. VIOLATION: a promise of this service is broken. WARNING: hosts report what contradicts the claims, so that an
 * operator has to look. NOTICE: something that may be correct, and that this service does not know about.
 */
export const severities = ['VIOLATION', 'WARNING', 'NOTICE'] as const
export type Severity = (typeof severities)[number]

/** The promise of docs/promises.md that each finding concerns. */
export const promiseOf: Readonly<Record<AuditCode, string>> = {
  'state.over_capacity': 'I1',
  'state.host_gone': 'I7',
  'state.column': 'I13',
  'state.orphan_claim': 'I13',
  'state.orphan_entry': 'I13',
  'state.duplicate': 'I4',
  'instance.twice': 'I17',
  'instance.elsewhere': 'I17',
  'instance.two_hosts': 'I18',
  'instance.other_host': 'I18',
  'instance.unlisted': 'I18',
  'instance.unclaimed': 'I18',
  'host.same_machine': 'I18',
  'capacity.below_claims': 'I18',
  'use.below_claims': 'I18',
  'use.beyond_memory': 'I18',
  'use.no_instances': 'I18',
  'state.group_count': 'I6',
  'state.diverged': 'I12',
}

/**
 * Hosts may report anything, and callers may use one uuid in several projects. Neither breaks a promise of this service, so neither raises
 * the number of violations.
 */
export const severityOf = (code: AuditCode): Severity => {
  if (code === 'instance.unclaimed') return 'NOTICE'
  return promiseOf[code] === 'I18' || code === 'instance.elsewhere' ? 'WARNING' : 'VIOLATION'
}

/** Contradictions in the order in which an operator should look at them: possible loss of data first, unreliable figures last. */
const contradictions: readonly AuditCode[] = [
  'instance.two_hosts',
  'host.same_machine',
  'instance.other_host',
  'instance.elsewhere',
  'capacity.below_claims',
  'use.below_claims',
  'use.beyond_memory',
  'instance.unlisted',
  'use.no_instances',
  'instance.unclaimed',
]

/** The rank of a finding among others, from 0: broken promises first, then contradictions in their order. */
export const rankOf = (code: AuditCode): number => 1 + contradictions.indexOf(code)

/** Whether an audit code of this name exists. */
export const isAuditCode = (code: string): code is AuditCode => Object.hasOwn(promiseOf, code)

/** The kinds of objects that the audit checks. */
export type Subject = 'host' | 'claim' | 'reservation' | 'instance' | 'key' | 'group' | 'aggregate' | 'part'

/** Something in a replica's state that is impossible, or that contradicts what hosts report. */
export interface Finding {
  readonly code: AuditCode
  /** The object that was checked: its kind and its name. */
  readonly subject: Subject
  readonly name: string
  /** Present if the host is known. */
  readonly host: string | null
  readonly claim: string | null
  /** The column, index or member that is wrong. */
  readonly field: string
  readonly expected: string
  readonly actual: string
  /** Present if the finding is about several hosts: these hosts, for its repair. */
  readonly hosts?: readonly HostIndex[]
}
