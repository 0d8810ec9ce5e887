import type { ApiKeyStore } from './api-keys.ts'
import type { LeaseStore } from './leases.ts'
import type { RecordStore } from './records.ts'
import type { ReplicaStore } from './replicas.ts'

/** What a service keeps in addition to the log, where all replicas find it. Not the tables for people: those follow. */
export interface Stores {
  readonly keys: ApiKeyStore
  readonly records: RecordStore
  readonly replicas: ReplicaStore
  readonly leases: LeaseStore
  close(): Promise<void>
}
