import { copyFleet, type Fleet } from '@gantt/scheduler-core'
import type { History } from '../replica/history.ts'
import type { Replica } from '../replica/replica.ts'
import type { LogReader } from '../sync/synchronizer.ts'
import { InputFault, issue } from './outcome.ts'
import { snapshotOf } from './snapshots.ts'

/** When a question is about: after a revision was applied, or at a time of the store, milliseconds since 1970. */
export type Moment = { readonly revision: number } | { readonly time: number }

/** Different moments that one call may ask about: each is a fleet of its own in memory. */
export const MOMENTS_PER_CALL = 4

/** From moments to revisions, as far as the log reaches. Both throw InputFault, at a path, for a moment that it does not reach. */
export interface Moments {
  /** At a time: the last revision that was there by then. */
  revisionAt(moment: Moment, path: readonly string[]): Promise<number>
  /** Fleets for one call: each moment's is made once, and is read only. */
  forCall(): FleetAt
  /** The present one as it is now, for what is read of it in many pieces; it is read only. */
  snapshot(): Fleet
}

/** The fleet at a moment; null or nothing: the present one, which goes on. `path` is where the caller named it; `at` if not given. */
export type FleetAt = (moment: Moment | null | undefined, path?: readonly string[]) => Promise<Fleet>

export function createMoments(replica: Replica, history: History, log: LogReader): Moments {
  const revisionAt: Moments['revisionAt'] = async (moment, path) =>
    'revision' in moment ? checked(moment.revision, path) : lastBy(moment.time, path)

  /** A revision that there is, and that is still kept. */
  const checked = async (revision: number, path: readonly string[]): Promise<number> => {
    if (revision > replica.fleet.place.revision) await replica.freshest()
    const head = replica.fleet.place.revision
    if (revision > head) throw ahead(path, revision, `be at most ${head}, the last revision`)
    const { firstRevision, firstAt } = await log.retention()
    if (revision < firstRevision) throw gone(path, revision, `be ${firstRevision} or more: what was before ${timeOf(firstAt)} is not kept`)
    return revision
  }

  /** The last revision of which the stamp is not behind a time. Where a server's clock went back, the one that halving finds. */
  const lastBy = async (time: number, path: readonly string[]): Promise<number> => {
    if (time > replica.storeTime) throw ahead(path, timeOf(time), `be at most ${timeOf(replica.storeTime)}, the store's time now`)
    if (time > replica.fleet.now) await replica.freshest()
    const { place } = replica.fleet
    if (time >= place.at) return place.revision
    const { firstRevision, firstAt } = await log.retention()
    if (firstAt !== null && time < firstAt)
      throw firstRevision === 0
        ? before(path, timeOf(time), `be ${timeOf(firstAt)} or later: the log begins there`)
        : gone(path, timeOf(time), `be ${timeOf(firstAt)} or later: what was before is not kept`)
    let known = Math.max(1, firstRevision)
    let later = place.revision
    while (later - known > 1) {
      const middle = known + Math.floor((later - known) / 2)
      const stamp = (await log.placeAt(middle))?.at
      if (stamp === undefined) throw gone(path, timeOf(time), 'be later: that part of the log was dropped just now')
      if (stamp <= time) known = middle
      else later = middle
    }
    return known
  }

  const fleetAt = async (revision: number, path: readonly string[]): Promise<Fleet> => {
    // the present is not read from the store, and a copy of it does not go on
    if (revision === replica.fleet.place.revision) return copyFleet(replica.fleet)
    try {
      return await history.at(revision)
    } catch (error) {
      if (error instanceof RangeError) throw gone(path, revision, 'be a revision that the log still reaches')
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
