import type { Groups } from '../hosts/groups.ts'
import type { HostTable } from '../hosts/hosts.ts'
import type { Place } from '../records/place.ts'
import type { Ledger } from './ledger.ts'

/** The part of a fleet that the judge reads and writes: hosts, groups and claims, and the position and time of the entry. */
export interface JudgedFleet {
  readonly hosts: HostTable
  readonly groups: Groups
  readonly ledger: Ledger
  readonly place: Place
  /** Time of the log, milliseconds since 1970. */
  readonly now: number
  readonly featureLevel: number
}
