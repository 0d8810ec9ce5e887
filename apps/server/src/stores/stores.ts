import type { ApiKeyStore } from './api-keys.ts'
import type { LeaseStore } from './leases.ts'
import type { RecordStore } from './records.ts'
import type { ReplicaStore } from './replicas.ts'

/** What a service keeps beside the log, where all replicas find it. Tables for people are not among it: those follow. */
export interface Stores {
  readonly keys: ApiKeyStore
  readonly records: RecordStore
  readonly replicas: ReplicaStore
  readonly leases: LeaseStore
  close(): Promise<void>
}
