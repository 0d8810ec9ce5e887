import type { ApiKeyStore } from './api-keys.ts'
import type { LeaseStore } from './leases.ts'
import type { RecordStore } from './records.ts'
import type { ReplicaStore } from './replicas.ts'

/** The data of a service in addition to the log, shared by all replicas. The tables for queries are not part of it: they follow. */
export interface Stores {
  readonly keys: ApiKeyStore
  readonly records: RecordStore
  readonly replicas: ReplicaStore
  readonly leases: LeaseStore
  close(): Promise<void>
}
