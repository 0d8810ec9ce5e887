import { pluginsOf } from '../../contracts/plugins.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Overlay } from '../../fleet/overlay.ts'
import { compileProfile } from '../../pipeline/compile.ts'
import { createTieOrder } from '../../pipeline/weighing/pick.ts'
import type { Profile } from '../../records/profile.ts'
import { DEFAULT_SOLVER_OPTIONS } from '../../records/solver-options.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { HostName } from '../../values/host-name.ts'
import { arrangeByFilter } from '../filter-scheduler.ts'
import { arrange, startOf } from './arrange.ts'
import { type Column, columnsOf } from './columns.ts'
import type { Draft, Row } from './draft.ts'
import { chain, keepGroup, keepSpread, placeAll, sharePools, shareRoom } from './rows.ts'
import { scoresOf } from './scores.ts'

/** A mixed-integer program: whole numbers from 0 to `most` for the columns, within the rows, with the greatest sum of `objective`. Plain data. */
export interface Program {
  readonly objective: readonly number[]
  readonly most: readonly number[]
  readonly rows: readonly Row[]
  /** A known arrangement, column by column; null: none is known. */
  readonly start: readonly number[] | null
}

/** A program and the meaning of its columns. `Place`: where an instance goes; it includes null where an instance may stay. */
export interface Formulated<Place extends HostName | null = HostName> {
  readonly program: Program
  /** The host of each instance, from the columns' numbers. Throws RangeError for numbers that are no arrangement. */
  read(values: readonly number[]): readonly Place[]
  readonly size: { readonly columns: number; readonly rows: number; readonly candidates: number; readonly passing: number }
}

/** The most columns: with more, fewer candidates are considered. */
export const MOST_COLUMNS = 4_000

export interface FormulateOptions {
  /** Orders hosts of equal worth. */
  readonly seed: string
  /** Allows only one kind that asks for NUMA cells, GPUs or PCI devices on a host. */
  readonly isCareful?: boolean
  /** Considers as many hosts as there may be columns, instead of the profile's `candidates`. */
  readonly isWide?: boolean
}

/**
 * The placement of a request's instances as a program. A column is one more instance of a kind on a host; the filters and the kinds of
 * resources determine how many instances of a kind a host can hold alone. The rows model all instances, the capacities that kinds of
 * instances share on a host (amounts of every resource class, shares of GPUs), pools that hosts share, server groups, and spread. Which
 * NUMA cells, GPUs and PCI devices several kinds get on one host is only checked afterwards. It pauses after each step that examines all
 * hosts, so that nobody waits longer than for one instance. The overlay is open meanwhile: the fleet must be the caller's own.
 */
export function* formulate(
  profile: Profile,
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  { seed, isCareful = false, isWide = false }: FormulateOptions,
): Generator<void, Formulated> {
  const compiled = compileProfile(profile, pluginsOf(fleet))
  const known = yield* arrangeByFilter(compiled, request, fleet, overlay, seed)
  const scores = yield* scoresOf(compiled, request, fleet, overlay)
  const { candidates = DEFAULT_SOLVER_OPTIONS.candidates } = profile.solver ?? {}
  const limits = { hosts: isWide ? MOST_COLUMNS : candidates, columns: Math.floor(MOST_COLUMNS / scores.length) }
  const columns: Column[] = []
  for (const [kind, one] of scores.entries())
    columns.push(...(yield* columnsOf(one, kind, known, limits, createTieOrder(profile, seed), fleet, request)))
  const draft: Draft = { objective: columns.map(({ score }) => score), most: columns.map(() => 1), rows: [] }
  placeAll(draft, columns, scores)
  chain(draft, columns, isCareful || request.instanceGroup?.policy === 'AFFINITY')
  if (scores.length > 1) shareRoom(draft, columns, scores, fleet, isCareful)
  sharePools(draft, columns, scores, fleet)
  yield
  keepGroup(draft, columns, request, fleet, new Set(scores.keys()))
  for (const spread of request.topologySpread) {
    // What kinds of instances have in common: the minimum over the domains of all kinds is at most that of each kind.
    keepSpread(draft, columns, request, fleet, (host) => scores.some(({ isCounted }) => isCounted(host)), spread)
    yield
  }
  const hosts = new Set(columns.map(({ host }) => host))
  const passing = new Set(scores.flatMap(({ weighed }) => [...weighed.hosts]))
  return {
    program: { ...draft, start: startOf(draft, columns, scores, known) },
    read: (values) => arrange(columns, values, scores, request, fleet),
    size: { columns: draft.most.length, rows: draft.rows.length, candidates: hosts.size, passing: passing.size },
  }
}
