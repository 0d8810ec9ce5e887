import { CORE_VERSION, DIGEST_FORMAT, FEATURE_LEVEL } from '@gantt/scheduler-core'
import type { ReplicaStore, Sign, Vitals } from '../../stores/replicas.ts'
import { realTimers, type Timers } from '../../timers.ts'
import { modeOf } from '../mode.ts'
import type { Replica } from '../replica.ts'
import type { ReplicaOptions } from '../replica-options.ts'
import { type Auditor, createAuditor } from './auditor.ts'
import { createLagHistory, type LagHistory } from './lag-history.ts'
import { isLiving, openRegistry, type Registry } from './registry.ts'
import { createVitals } from './vitals.ts'

/** A replica's status among all replicas: its own sign of life, those of the other replicas, and whether its state is sound. */
export interface ReplicaStatus {
  readonly registry: Registry
  readonly auditor: Auditor
  /** The lag of each replica, as this replica read it. */
  readonly lags: LagHistory
  describe(): Sign
}

/** The status of a starting replica. Other replicas know about the replica before it follows the log. */
export interface Registered {
  readonly registry: Registry
  /**
   * Options of the replica that depend on the signs of life of all replicas: the feature level that this replica supports, and the checks
   * before the log's level is raised and before a checkpoint is stored.
   */
  readonly options: Required<Pick<ReplicaOptions, 'readsUpTo' | 'mayRaise' | 'isReadByAll' | 'mayCheckpoint'>>
  /** Follows the given replica from now on. */
  follow(replica: Replica): ReplicaStatus
  /** Sets the URL of the replica's API. */
  setUrl(url: string): void
  close(): Promise<void>
}

export interface RegistrationOptions {
  readonly store: ReplicaStore
  readonly name: string
  readonly timers?: Timers
  /** Warns operators of errors. */
  warn(message: string): void
  /** The highest feature level that this replica may use; default FEATURE_LEVEL. */
  readonly readsUpTo?: number | undefined
  /** How long a host's list of instances may lag behind the claims before the auditor reports a finding, in milliseconds. */
  readonly unlistedAfterMs?: number | undefined
}

export async function registerReplica({
  store,
  name,
  timers = realTimers,
  warn,
  readsUpTo = FEATURE_LEVEL,
  unlistedAfterMs,
}: RegistrationOptions): Promise<Registered> {
  let replica: Replica | undefined
  let auditor: Auditor | undefined
  let vitals: (() => Vitals) | undefined
  let url: string | null = null
  const lags = createLagHistory()
  const describe = (): Sign => {
    const audited = auditor?.view()
    const { mode, reason } = replica === undefined ? { mode: 'STARTING', reason: null } : modeOf(replica)
    return {
      id: name,
      url,
      version: CORE_VERSION,
      featureLevel: readsUpTo,
      mode,
      reason,
      revision: replica?.fleet.place.revision ?? 0,
      violations: audited?.violations ?? 0,
      checkedAt: audited?.checkedAt === undefined || audited.checkedAt === null ? null : Math.round(audited.checkedAt),
      digests: auditor?.digests() ?? { format: DIGEST_FORMAT, taken: [], whole: null },
      vitals: vitals?.() ?? null,
    }
  }
  const registry = await openRegistry({
    store,
    timers,
    describe,
    warn,
    onLook(looked) {
      const { now, rows } = looked
      lags.take(looked)
      auditor?.compare(rows.filter((row) => row.id !== name && isLiving(row, now)))
    },
  })
  return {
    registry,
    options: {
      readsUpTo,
      mayRaise: (level) => registry.mayRaise(level),
      isReadByAll: (level) => registry.isReadByAll(level),
      mayCheckpoint: () => auditor?.isSound ?? true,
    },
    follow(started) {
      replica = started
      auditor = createAuditor({ replica: started, timers, warn, unlistedAfterMs })
      vitals = createVitals(started, timers)
      return { registry, auditor, lags, describe }
    },
    setUrl(at) {
      url = at
      // the timer warns if the store does not answer
      registry.look().catch(() => undefined)
    },
    async close() {
      auditor?.close()
      await registry.close()
    },
  }
}
