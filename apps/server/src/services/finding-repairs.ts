import {
  type Change,
  compareWritten,
  copyFleet,
  type Difference,
  ENTRY_FORMAT,
  type Fleet,
  listingOf,
  repairOf,
} from '@gantt/scheduler-core'
import type { Auditor, StandingFinding } from '../replica/auditor.ts'
import { answerInPieces } from '../replica/question.ts'
import type { Replica } from '../replica/replica.ts'
import { type Failure, type Invalid, invalid, type NotFound, notFound, sentenceOf } from './outcome.ts'
import { checkText } from './text.ts'

export interface RepairArgs {
  /** Of the finding. */
  readonly id: string
  /** Why, for those who ask later. */
  readonly reason: string
  readonly dryRun: boolean
}

export interface RepairDone {
  readonly type: 'done'
  readonly finding: StandingFinding
  readonly dryRun: boolean
  /** Where the change is in the log; of a dry run, the state that it was tried on. */
  readonly revision: number
  readonly count: number
  /** The first hundred. */
  readonly differences: readonly Difference[]
}

/** It cannot be mended from here, or not any more; the message says what to do. Nothing was changed. */
export interface RepairRefused extends Failure {
  readonly type: 'repair-refused'
}

export type RepairOutcome = RepairDone | RepairRefused | NotFound | Invalid

/** How findings of the auditor are mended. */
export interface FindingRepairs {
  /** What there is to do, and whether `repair` does it. */
  of(finding: StandingFinding): { readonly text: string; readonly isAutomatic: boolean }
  /** Tries the repair on a copy of the fleet and says what differs afterwards; unless it is a dry run, makes it too. */
  repair(args: RepairArgs): Promise<RepairOutcome>
}

const MOST_SAID = 100

export function createFindingRepairs(replica: Replica, auditor: Auditor): FindingRepairs {
  return {
    of(finding) {
      const { text, toChange } = repairOf(replica.fleet, finding)
      return { text, isAutomatic: toChange !== undefined }
    },
    async repair({ id, reason, dryRun }) {
      const issues = checkText(['reason'], reason, { max: 1_000 })
      if (issues.length > 0) return invalid(issues)
      const finding = auditor.find(id)
      if (finding === undefined) return notFound('finding', id, ['id'])
      const { text, toChange } = repairOf(replica.fleet, finding, listingOf(replica.fleet, finding.name))
      if (toChange === undefined) return refused(`This finding is not repaired from here. ${text}`, ['id'])
      const change = toChange(reason)
      const tried = await tryOut(replica.fleet, change)
      if ('refusal' in tried) return refused(tried.refusal, ['id'])
      if (dryRun) return { type: 'done', finding, dryRun, ...tried }
      const [verdict] = await replica.propose([change])
      if (verdict?.void !== undefined) return refused(sentenceOf(verdict.void), ['id'])
      return { type: 'done', finding, dryRun, ...tried, revision: verdict?.revision ?? replica.fleet.place.revision }
    },
  }
}

/** What a change would write, on a copy of the fleet. */
async function tryOut(
  fleet: Fleet,
  change: Change,
): Promise<Pick<RepairDone, 'revision' | 'count' | 'differences'> | { readonly refusal: string }> {
  const before = copyFleet(fleet)
  const after = copyFleet(before)
  const { place, now } = before
  const basis = { format: ENTRY_FORMAT, id: `dry run on ${place.id}`, writer: '', basis: place } as const
  const entry = { ...basis, changes: [change], revision: place.revision + 1, at: now }
  const [refusal] = await answerInPieces(after.applyInSteps(entry))
  if (refusal !== undefined) return { refusal: sentenceOf(refusal) }
  return answerInPieces(
    (function* () {
      const differences: Difference[] = []
      let count = 0
      for (const found of compareWritten(before, after)) {
        count += found.length
        differences.push(...found.slice(0, Math.max(0, MOST_SAID - differences.length)))
        yield
      }
      return { revision: place.revision, count, differences }
    })(),
  )
}

const refused = (message: string, path: readonly string[]): RepairRefused => ({
  type: 'repair-refused',
  code: 'PRECONDITION',
  message,
  path,
})
