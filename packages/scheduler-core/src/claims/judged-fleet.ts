import type { Groups } from '../hosts/groups.ts'
import type { HostTable } from '../hosts/hosts.ts'
import type { Place } from '../records/place.ts'
import type { Ledger } from './ledger.ts'

/** What is needed to accept or refuse the changes of a log entry: hosts, groups and claims, and the position and time of that entry. */
export interface JudgedFleet {
  readonly hosts: HostTable
  readonly groups: Groups
  readonly ledger: Ledger
  readonly place: Place
  /** Time of the log, milliseconds since 1970. */
  readonly now: number
  readonly featureLevel: number
}
