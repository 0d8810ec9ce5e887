import type { Fleet } from '@gantt/scheduler-core'
import { atEndOfCall } from '../../event-loop/query.ts'
import type { History } from '../../replica/follow/history.ts'
import type { Replica } from '../../replica/replica.ts'
import type { LogReader } from '../../sync/synchronizer.ts'
import { InputFault, issue } from '../calls/outcome.ts'
import { snapshotOf } from './snapshots.ts'

/**
 * The point in the fleet's history that a query is about: after a revision was applied, or at a store time (the database's clock) in
 * milliseconds since 1970.
 */
export type Moment = { readonly revision: number } | { readonly time: number }

/** One call may ask for at most this many moments, because each moment needs a separate fleet in memory. */
export const MOMENTS_PER_CALL = 4

/**
 * Finds the revisions and fleets of moments. `revisionAt` and the function that `forCall` returns throw InputFault if the log does not
 * contain the moment.
 */
export interface Moments {
  /** The revision of the fleet at a moment. */
  revisionAt(moment: Moment, path: readonly string[]): Promise<number>
  /**
   * Returns a function that finds the fleets of one call. The fleet of each moment is created once, must only be read, and cannot be read
   * after the call is answered.
   */
  forCall(): FleetAt
  /** A copy of the present fleet for reads in several steps. It must only be read. */
  snapshot(): Fleet
}

/** Returns the fleet at a moment; null or absent: the live fleet. `path` is the path of the moment in the call; absent: `at`. */
export type FleetAt = (moment: Moment | null | undefined, path?: readonly string[]) => Promise<Fleet>

export function createMoments(replica: Replica, history: History, log: LogReader): Moments {
  const revisionAt: Moments['revisionAt'] = async (moment, path) =>
    'revision' in moment ? checked(moment.revision, path) : lastBy(moment.time, path)

  /** Checks that a revision exists and is still stored. */
  const checked = async (revision: number, path: readonly string[]): Promise<number> => {
    if (revision > replica.fleet.place.revision) await replica.freshest()
    const head = replica.fleet.place.revision
    if (revision > head) throw ahead(path, revision, `be at most ${head}, the last revision`)
    const { firstRevision, firstAt } = await log.retention()
    if (revision < firstRevision) throw gone(path, revision, `be ${firstRevision} or more: entries before ${timeOf(firstAt)} are deleted`)
    return revision
  }

  /** Finds the last revision at or before a time, by binary search. The result is correct even if a server's clock was set back. */
  const lastBy = async (time: number, path: readonly string[]): Promise<number> => {
    if (time > replica.storeTime) throw ahead(path, timeOf(time), `be at most ${timeOf(replica.storeTime)}, the store's time now`)
    if (time > replica.fleet.now) await replica.freshest()
    const { place } = replica.fleet
    if (time >= place.at) return place.revision
    const { firstRevision, firstAt } = await log.retention()
    if (firstAt !== null && time < firstAt)
      throw firstRevision === 0
        ? before(path, timeOf(time), `be ${timeOf(firstAt)} or later: the log begins there`)
        : gone(path, timeOf(time), `be ${timeOf(firstAt)} or later: earlier entries are no longer stored`)
    let known = Math.max(1, firstRevision)
    let later = place.revision
    while (later - known > 1) {
      const middle = known + Math.floor((later - known) / 2)
      const stamp = (await log.placeAt(middle))?.at
      if (stamp === undefined) throw gone(path, timeOf(time), 'be later, because this part of the log has just been trimmed')
      if (stamp <= time) known = middle
      else later = middle
    }
    return known
  }

  const fleetAt = async (revision: number, path: readonly string[]): Promise<Fleet> => {
    // the present fleet is in memory and is copied, because the live fleet changes
    if (revision === replica.fleet.place.revision) return history.copy(replica.fleet)
    try {
      return await history.at(revision)
    } catch (error) {
      if (error instanceof RangeError) throw gone(path, revision, 'be a revision that the log still contains')
      throw error
    }
  }

  return {
    revisionAt,
    snapshot: () => snapshotOf(replica),
    forCall() {
      const asked = new Map<string, Promise<Fleet>>()
      return async (moment, path = ['at']) => {
        if (!moment) return replica.fleet
        const key = JSON.stringify(moment)
        const known = asked.get(key)
        if (known !== undefined) return known
        if (asked.size >= MOMENTS_PER_CALL)
          throw new InputFault([issue(path, saidOf(moment), `be one of at most ${MOMENTS_PER_CALL} moments in one call`)])
        const fleet = revisionAt(moment, path).then((revision) => fleetAt(revision, path))
        asked.set(key, fleet)
        // if the moment has no fleet, the queries about it have received the error
        atEndOfCall(() => void fleet.then(history.giveBack, () => undefined))
        return fleet
      }
    },
  }
}

const timeOf = (ms: number | null): string => (ms === null ? 'its first entry' : new Date(ms).toISOString())
const saidOf = (moment: Moment): number | string => ('revision' in moment ? moment.revision : timeOf(moment.time))

const ahead = (path: readonly string[], found: unknown, rule: string) => new InputFault([issue(path, found, rule, 'moment.ahead')])
const gone = (path: readonly string[], found: unknown, rule: string) => new InputFault([issue(path, found, rule, 'moment.gone')])
const before = (path: readonly string[], found: unknown, rule: string) => new InputFault([issue(path, found, rule, 'moment.before_log')])
