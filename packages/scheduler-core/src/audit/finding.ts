import type { HostWarning } from '../fleet/warnings.ts'
import type { HostIndex } from '../values/host-index.ts'

/** The codes of findings in an audit of a replica's state. Codes are never reused or renamed. docs/errors.md has a remedy for each code. */
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

/** The codes above, and the codes of warnings about a host with a reported use that contradicts its claims. */
export type AuditCode = keyof typeof auditCodes | HostWarning['code']

/**
 * Whether a finding means that this replica's own state differs from the state that the log implies. All other findings are about actions
 * of callers and hosts. Every replica has such findings, a replica may start from a state with them, and `replicaHeal` cannot repair them.
 */
export const isOfState = (code: AuditCode): code is Extract<AuditCode, `state.${string}`> => code.startsWith('state.')

/**
 * How serious a finding is. VIOLATION: a promise of this service is broken. WARNING: reports of hosts contradict the claims, so an operator
 * has to act. NOTICE: a state that may be correct, but that this service does not know about.
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
 * Reports may contain anything, and callers may use one uuid in several projects. Neither breaks a promise of this service, so neither
 * counts as a violation.
 */
export const severityOf = (code: AuditCode): Severity => {
  if (code === 'instance.unclaimed') return 'NOTICE'
  return promiseOf[code] === 'I18' || code === 'instance.elsewhere' ? 'WARNING' : 'VIOLATION'
}

/** The contradictions in the order of their urgency: possible loss of data first, unreliable counts last. */
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

/** The rank of a finding, from 0. Broken promises come first, then contradictions in their order. */
export const rankOf = (code: AuditCode): number => 1 + contradictions.indexOf(code)

/** Whether this is the name of an audit code. */
export const isAuditCode = (code: string): code is AuditCode => Object.hasOwn(promiseOf, code)

/** The kinds of objects that the audit checks. */
export type Subject = 'host' | 'claim' | 'reservation' | 'instance' | 'key' | 'group' | 'aggregate' | 'part'

/** An impossible fact in a replica's state, or one that contradicts the reports of hosts. */
export interface Finding {
  readonly code: AuditCode
  /** The kind of the checked object. `name` is its name. */
  readonly subject: Subject
  readonly name: string
  /** Present if the host is known. */
  readonly host: string | null
  readonly claim: string | null
  /** The column, index or member that is wrong. */
  readonly field: string
  readonly expected: string
  readonly actual: string
  /** The hosts of a finding about several hosts. The repair uses them. */
  readonly hosts?: readonly HostIndex[]
}
