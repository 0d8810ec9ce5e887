import type { ApiKeyStore } from './api-keys.ts'
import type { LeaseStore } from './leases.ts'
import type { RecordStore } from './records.ts'
import type { ReplicaStore } from './replicas.ts'

/**
 * The data that all replicas of a service share outside of the log. The tables for queries are not included, because they are computed from
 * the log and these stores.
 */
export interface Stores {
  readonly keys: ApiKeyStore
  readonly records: RecordStore
  readonly replicas: ReplicaStore
  readonly leases: LeaseStore
  close(): Promise<void>
}
