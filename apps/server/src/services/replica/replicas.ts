import { type AuditCode, type Difference, isAuditCode } from '@gantt/scheduler-core'
import type { Replica } from '../../replica/replica.ts'
import type { AuditorView, PresentFinding } from '../../replica/watch/auditor.ts'
import { compareFindings, firstOf } from '../../replica/watch/found.ts'
import { HealError, type Healed, healReplica } from '../../replica/watch/heal.ts'
import { isLiving } from '../../replica/watch/registry.ts'
import type { ReplicaStatus } from '../../replica/watch/status.ts'
import type { ReplicaRow } from '../../stores/replicas.ts'
import type { LogReader } from '../../sync/synchronizer.ts'
import { type Failure, InputFault } from '../calls/outcome.ts'
import { firstOf as firstOfPage, keyOf, listOf, type Page, type PageArgs, toCursor } from '../calls/paging.ts'

export type { AuditorView, PresentFinding } from '../../replica/watch/auditor.ts'

/** The state that a replica stored with its last sign of life. For the replica that answers the call: its present state. */
export interface ReplicaView extends Omit<ReplicaRow, 'digests'> {
  readonly stateHash: { readonly revision: number; readonly digest: string } | null
  /** The largest lag in each ten seconds of the last ten minutes, in milliseconds, oldest first. Null if no lag was observed. */
  readonly lagHistoryMs: readonly (number | null)[]
  readonly isLive: boolean
  readonly isSelf: boolean
}

export interface HealArgs {
  /**
   * The name of the replica to heal. If the call reaches a different replica, the call is refused. Absent: the replica that gets the call.
   */
  readonly replica?: string | null | undefined
  /** The state is rebuilt from the newest checkpoint at or before this revision. Absent: from the newest checkpoint. */
  readonly from?: number | null | undefined
  readonly dryRun: boolean
}

export interface HealDone extends Healed {
  readonly type: 'done'
  readonly dryRun: boolean
  readonly replica: string
}

/** The failure if the call reaches a replica other than the named replica, or if the state cannot be rebuilt now. Nothing was changed. */
export interface HealRefused extends Failure {
  readonly type: 'heal-refused'
}

export type HealOutcome = HealDone | HealRefused
export type { Difference }

export interface FindingPageArgs extends PageArgs {
  /** Only findings with these codes are listed. Absent: all. */
  readonly codes?: readonly string[] | null | undefined
}

function* filtered<Item>(items: Iterable<Item>, isIn: (item: Item) => boolean): Generator<Item, void> {
  for (const item of items) if (isIn(item)) yield item
}

/** The replicas of this fleet, and the findings of the auditor about the replica that answers. */
export interface Replicas {
  /** The replicas whose last sign of life is still stored, oldest start first. A sign of life is stored for at least a day. */
  list(): ReplicaView[]
  auditor(): AuditorView
  /** A page of the auditor's findings, most severe first. Throws InputFault for unknown codes. */
  findings(args: FindingPageArgs): Page<PresentFinding>
  /**
   * Rebuilds the state of this replica from the log and returns the differences. Unless it is a dry run, the rebuilt state then replaces
   * the present one.
   */
  heal(args: HealArgs): Promise<HealOutcome>
}

export function createReplicas(replica: Replica, log: LogReader, { registry, auditor, lags, describe }: ReplicaStatus): Replicas {
  let isHealing = false
  const run = async ({ replica: meant, from, dryRun }: HealArgs): Promise<HealOutcome> => {
    if (meant && meant !== replica.name)
      return refused(`Replica ${replica.name} answered, but the call names ${meant}: send it to the address of that replica.`, ['replica'])
    if (replica.halted !== undefined && !dryRun)
      return refused(`Replica ${replica.name} takes no writes (${replica.halted.message}): restart it; a dry run can be made here.`, [
        'dryRun',
      ])
    if (isHealing) return refused(`Replica ${replica.name} is being healed already.`, null)
    isHealing = true
    try {
      return { type: 'done', dryRun, replica: replica.name, ...(await healReplica(replica, log, { from: from ?? undefined, dryRun })) }
    } catch (error) {
      // a RangeError means that the log does not contain the revision
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
    findings({ codes, ...page }) {
      for (const [i, code] of (codes ?? []).entries())
        if (!isAuditCode(code)) throw InputFault.at(['findings', 'codes', String(i)], code, 'a code of a finding (docs/errors.md)')
      const list = listOf('findings', codes ?? null)
      const first = firstOfPage(list, page)
      const key = keyOf<[AuditCode, string]>(list, page, ['string', 'string'])
      const asked = codes && new Set<string>(codes)
      const isAsked = ({ code }: Pick<PresentFinding, 'code'>): boolean => asked?.has(code) ?? true
      const follows = (one: PresentFinding): boolean => key === undefined || compareFindings(one, { code: key[0], id: key[1] }) > 0
      const found = firstOf(
        filtered(auditor.all(), (one) => isAsked(one) && follows(one)),
        first + 1,
      )
      return {
        edges: found.slice(0, first).map((node) => ({ cursor: toCursor(list, [node.code, node.id]), node })),
        hasNextPage: found.length > first,
        hasPreviousPage: key !== undefined,
        totalCount: () => [...auditor.view().counts].reduce((sum, [code, count]) => (isAsked({ code }) ? sum + count : sum), 0),
      }
    },
    heal: run,
  }
}

const refused = (message: string, path: readonly string[] | null): HealRefused => ({
  type: 'heal-refused',
  code: 'PRECONDITION',
  message,
  path,
})
