import type { HostWarning } from '../fleet/warnings.ts'
import type { HostIndex } from '../values/host-index.ts'

/** The codes of findings in an audit of a replica's state. Codes are never reused or renamed. docs/errors.md has a remedy for each code. */
export const auditCodes = {
  'state.over_capacity': 'A claim that was made after the host’s last report makes the host exceed what it has.',
  'state.host_gone': 'A claim is on a host that does not exist.',
  'state.column': 'A stored amount of a host differs from the amount computed from its report and its claims.',
  'state.orphan_claim': 'A claim is missing from an index that should list it.',
  'state.orphan_entry': 'An index lists something that does not exist, or that does not match the index.',
  'state.duplicate': 'Two claims or two idempotency keys have the same name.',
  'instance.twice': 'One instance has two live claims in one project or account that are not the two ends of a move.',
  'instance.elsewhere': 'One instance has live claims in several projects or accounts.',
  'instance.two_hosts': 'Several hosts list one instance that is not moving between them.',
  'instance.other_host': 'The instance of a claim is listed by another host than the host of the claim.',
  'instance.unlisted': 'No host has listed the instance of a confirmed claim for longer than the stated time.',
  'instance.unclaimed': 'A host lists instances without a claim.',
  'host.same_machine': 'Hosts with different names report the same machine id.',
  'state.group_count': 'The stored member count of a server group on a host differs from the count of its claims there.',
  'state.diverged': 'Another replica has another state at the same revision.',
  'decision.differs': 'A decision that was found by searching an index differs from the result of examining every host.',
} as const

/** The codes above, and the codes of warnings about hosts whose reported amounts contradict their claims. */
export type AuditCode = keyof typeof auditCodes | HostWarning['code']

/**
 * True if a finding means that this replica's state differs from the state that the log implies. All other findings are about actions of
 * callers and hosts. Such findings are the same on every replica, and `replicaHeal` cannot repair them.
 */
export const isStateFinding = (code: AuditCode): code is Extract<AuditCode, `state.${string}`> => code.startsWith('state.')

/**
 * How serious a finding is. VIOLATION: a promise of this service is broken. WARNING: reports of hosts contradict the claims, so an operator
 * has to act. NOTICE: something that this service does not know about and that can be correct.
 */
export const severities = ['VIOLATION', 'WARNING', 'NOTICE'] as const
export type Severity = (typeof severities)[number]

/** The promise in docs/promises.md that each finding concerns. */
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
  'decision.differs': 'I10',
}

/**
 * Contradictions in reports (I18) are warnings, because this service cannot prevent a wrong report. Claims of one uuid in several projects
 * are also a warning, because callers are allowed to use a uuid twice. Instances without a claim are only a notice, because another service
 * may have created them. This service breaks no promise in these cases.
 */
export const severityOf = (code: AuditCode): Severity => {
  if (code === 'instance.unclaimed') return 'NOTICE'
  return promiseOf[code] === 'I18' || code === 'instance.elsewhere' ? 'WARNING' : 'VIOLATION'
}

/** The contradictions between reports and claims, the most urgent first: possible loss of data first, unreliable counts last. */
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

/** The rank of a finding, from 0. Broken promises have rank 0. Contradictions follow in the order of the list above. */
export const rankOf = (code: AuditCode): number => 1 + contradictions.indexOf(code)

/** Returns true if the text is an audit code. */
export const isAuditCode = (code: string): code is AuditCode => Object.hasOwn(promiseOf, code)

/** The kinds of objects that the audit checks. */
export type Subject = 'host' | 'claim' | 'reservation' | 'instance' | 'key' | 'group' | 'aggregate' | 'part' | 'decision'

/** An impossible value in a replica's state, or a contradiction between the claims and the reports of hosts. */
export interface Finding {
  readonly code: AuditCode
  /** The kind of the object that was checked. `name` is the name of the object. */
  readonly subject: Subject
  readonly name: string
  /** Null if the finding is not about one known host. */
  readonly host: string | null
  readonly claim: string | null
  /** The column, index or member with the wrong value. */
  readonly field: string
  readonly expected: string
  readonly actual: string
  /** The hosts of a finding that concerns several hosts; of the hosts that list one instance, at most the first ten. */
  readonly hosts?: readonly HostIndex[]
}
