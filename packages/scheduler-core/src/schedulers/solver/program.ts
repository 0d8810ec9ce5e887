import type { Fleet } from '../../fleet/fleet.ts'
import type { HostName } from '../../fleet/host-name.ts'
import type { Overlay } from '../../fleet/overlay.ts'
import { compileProfile } from '../../pipeline/compile.ts'
import { createTieOrder } from '../../pipeline/pick.ts'
import { pluginsOf } from '../../plugin/plugins.ts'
import type { Profile } from '../../profiles/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { arrangeByFilter } from '../filter-scheduler.ts'
import { arrange, startOf } from './arrange.ts'
import { type Column, columnsOf } from './columns.ts'
import type { Draft, Row } from './draft.ts'
import { DEFAULT_SOLVER_OPTIONS } from './options.ts'
import { chain, keepGroup, keepSpread, placeAll, sharePools, shareRoom } from './rows.ts'
import { scoresOf } from './scores.ts'

/** A mixed-integer program: whole numbers from 0 to `most` for the columns, within the rows, with the greatest sum of `objective`. Plain data. */
export interface Program {
  readonly objective: readonly number[]
  readonly most: readonly number[]
  readonly rows: readonly Row[]
  /** An arrangement that is known already, column by column; null: none is. */
  readonly start: readonly number[] | null
}

/** A program and what its columns mean. `Place`: where an instance goes; null among them where it may stay. */
export interface Formulated<Place extends HostName | null = HostName> {
  readonly program: Program
  /** By instance where it goes, from the columns' numbers. Throws RangeError for numbers that are no arrangement. */
  read(values: readonly number[]): readonly Place[]
  readonly size: { readonly columns: number; readonly rows: number; readonly candidates: number; readonly passing: number }
}

/** More columns than this are not made: candidates are fewer then. */
export const MOST_COLUMNS = 4_000

export interface FormulateOptions {
  /** Orders hosts of equal worth. */
  readonly seed: string
  /** Lets only one kind that asks for NUMA cells, GPUs or PCI devices go to a host. */
  readonly isCareful?: boolean
  /** Looks at as many hosts as there may be columns, instead of at the profile's `candidates`. */
  readonly isWide?: boolean
}

/**
 * Where the instances of a request go, as a program. A column is one more instance of a kind on a host; how many of a kind a host can hold
 * alone is asked of the filters and of the kinds of resources themselves. Modelled besides: all instances, and rooms that kinds of instances
 * share on a host (amounts of every resource class, shares of GPUs), pools that hosts share, server groups, and spread. Only checked afterwards: which NUMA cells, GPUs
 * and PCI devices several kinds get on one host.
 *
 * It pauses after whatever looks at all hosts once, so that nobody waits longer than for one instance. The overlay is open meanwhile: the
 * fleet must be the caller's own.
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
    // what kinds of instances have in common: the least of the domains of any is no more than that of each
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
