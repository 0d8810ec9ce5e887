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

/**
 * A mixed-integer program as plain data. The columns are integers from 0 to `most`, limited by the rows. The sum of `objective` is
 * maximised.
 */
export interface Program {
  readonly objective: readonly number[]
  readonly most: readonly number[]
  readonly rows: readonly Row[]
  /** A known arrangement as one value per column. Null if none is known. */
  readonly start: readonly number[] | null
}

/** A program and the meaning of its columns. `Place` is the destination of an instance; it includes null if an instance may stay. */
export interface Formulated<Place extends HostName | null = HostName> {
  readonly program: Program
  /** The host of each instance, from the values of the columns. Throws RangeError if the values are not an arrangement. */
  read(values: readonly number[]): readonly Place[]
  readonly size: { readonly columns: number; readonly rows: number; readonly candidates: number; readonly passing: number }
}

/** An integer program has at most this many columns. If there would be more, fewer candidate hosts are considered. */
export const MOST_COLUMNS = 4_000

export interface FormulateOptions {
  /** The seed for the order of hosts with equal worth. */
  readonly seed: string
  /** Allows only one kind of instances with NUMA cells, GPUs or PCI devices on each host. */
  readonly isCareful?: boolean
  /** Considers as many hosts as the limit of columns allows. Without it, the profile's `candidates` is the limit. */
  readonly isWide?: boolean
}

/**
 * Formulates the placement of a request's instances as an integer program. A column is one more instance of a kind on a host. Filters and
 * kinds of resources determine how many instances of one kind fit on a host alone. The rows model all instances, the capacities that kinds
 * share on a host (amounts of every resource class, shares of GPUs), pools that hosts share, server groups, and spread. NUMA cells, GPUs
 * and PCI devices of several kinds on one host are checked only afterwards. The generator yields after each step that examines all hosts,
 * so that other work waits no longer than for the decision of one instance. The overlay is open until the generator ends, so the caller
 * must own the fleet.
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
    // All kinds of instances share the domains. The minimum over the domains of all kinds is at most the minimum of each kind.
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
