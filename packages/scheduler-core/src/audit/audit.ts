import type { Fleet } from '../fleet/fleet.ts'
import type { Finding, Subject } from './finding.ts'
import { auditHost } from './host.ts'
import { auditInstance } from './instance.ts'
import { auditAggregate, auditClaim, auditKey, auditMembers, auditReservation } from './ledger.ts'

/** The result of the check of one object. */
export interface Looked {
  readonly subject: Subject
  readonly name: string | number
  readonly findings: readonly Finding[]
}

/**
 * Checks everything in a fleet, one object per step. Each step checks one object completely. Therefore, the fleet can change between two
 * steps. An object that is added or removed during a round is checked in this round or in the next one.
 */
export function* audit(fleet: Fleet): Generator<Looked, void> {
  const { hosts, ledger, groups, aggregates } = fleet
  for (const { index } of hosts.records) yield { subject: 'host', name: index, findings: auditHost(fleet, index) }
  for (const [id, claim] of ledger.claims) yield { subject: 'claim', name: id, findings: auditClaim(fleet, id, claim) }
  for (const claim of ledger.lapsing.values()) yield { subject: 'reservation', name: claim.id, findings: auditReservation(fleet, claim) }
  for (const instance of ledger.instances.names()) yield { subject: 'instance', name: instance, findings: auditInstance(fleet, instance) }
  for (const bound of ledger.keys()) yield { subject: 'key', name: `${bound.account}\u0000${bound.key}`, findings: auditKey(fleet, bound) }
  for (const { uuid, members } of groups.byUuid.values())
    for (const host of members.keys()) {
      const group = groups.find(uuid)
      if (group !== undefined) yield { subject: 'group', name: `${uuid} ${host}`, findings: auditMembers(fleet, group, host) }
    }
  for (const aggregate of aggregates.byUuid.values())
    yield { subject: 'aggregate', name: aggregate.uuid, findings: auditAggregate(fleet, aggregate) }
}
