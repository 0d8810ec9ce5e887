import type { Difference } from '@gantt/scheduler-core'
import type { AuditorView } from '../replica/auditor.ts'
import { HealError, type Healed, healReplica } from '../replica/heal.ts'
import { isLiving } from '../replica/registry.ts'
import type { Replica } from '../replica/replica.ts'
import type { Standing } from '../replica/standing.ts'
import type { ReplicaRow } from '../stores/replicas.ts'
import type { LogReader } from '../sync/synchronizer.ts'
import type { Failure } from './outcome.ts'

export type { AuditorView, StandingFinding } from '../replica/auditor.ts'

/** A replica as it said of itself last; the one that answers as it is now. */
export interface ReplicaView extends Omit<ReplicaRow, 'digests'> {
  readonly stateHash: { readonly revision: number; readonly digest: string } | null
  /** Milliseconds: as lagHistory of Replica in the schema. */
  readonly lagHistoryMs: readonly (number | null)[]
  readonly isLive: boolean
  readonly isSelf: boolean
}

export interface HealArgs {
  /** The replica that is meant; any that answers if not given. */
  readonly replica?: string | null | undefined
  /** Begin at the newest checkpoint at or before this revision. */
  readonly from?: number | null | undefined
  readonly dryRun: boolean
}

export interface HealDone extends Healed {
  readonly type: 'done'
  readonly dryRun: boolean
  readonly replica: string
}

/** It cannot be done here or now; nothing was changed. */
export interface HealRefused extends Failure {
  readonly type: 'heal-refused'
}

export type HealOutcome = HealDone | HealRefused
export type { Difference }

/** The replicas of this fleet, and the soundness of the one that answers. */
export interface Replicas {
  /** In the order of their start; those that gave a sign in the last day. */
  list(): ReplicaView[]
  auditor(): AuditorView
  /** Makes the state of this replica anew from the log, tells how it differs, and unless it is a dry run takes it over. */
  heal(args: HealArgs): Promise<HealOutcome>
}

export function createReplicas(replica: Replica, log: LogReader, { registry, auditor, lags, describe }: Standing): Replicas {
  let isHealing = false
  const run = async ({ replica: meant, from, dryRun }: HealArgs): Promise<HealOutcome> => {
    if (meant && meant !== replica.name)
      return refused(`Replica ${replica.name} answers, and ${meant} is meant: ask that one at its own address.`, ['replica'])
    if (replica.halted !== undefined && !dryRun)
      return refused(`Replica ${replica.name} takes no writes (${replica.halted.message}): restart it; a dry run can be made here.`, [
        'dryRun',
      ])
    if (isHealing) return refused(`Replica ${replica.name} is being healed already.`, null)
    isHealing = true
    try {
      return { type: 'done', dryRun, replica: replica.name, ...(await healReplica(replica, log, { from: from ?? undefined, dryRun })) }
    } catch (error) {
      // a log that does not reach back so far is a RangeError
      if (error instanceof HealError || error instanceof RangeError) return refused(`${error.message}.`, null)
      throw error
    } finally {
      isHealing = false
    }
  }
  return {
    list() {
      const { now, rows } = registry.last
      const { digests: mine, ...self } = describe()
      return rows.map(({ digests, ...row }) => {
        const isSelf = row.id === replica.name
        return {
          ...{ ...row, ...(isSelf && self), stateHash: (isSelf ? mine : digests).whole },
          ...{ lagHistoryMs: lags.of(row.id), isLive: isLiving(row, now), isSelf },
        }
      })
    },
    auditor: () => auditor.view(),
    heal: run,
  }
}

const refused = (message: string, path: readonly string[] | null): HealRefused => ({
  type: 'heal-refused',
  code: 'PRECONDITION',
  message,
  path,
})
