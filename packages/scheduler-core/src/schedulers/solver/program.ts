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
 * A mixed-integer program as plain data. The columns are integers from 0 to `most`, limited by the rows. The solver maximises the sum of
 * all columns, each multiplied by its factor in `objective`.
 */
export interface Program {
  readonly objective: readonly number[]
  readonly most: readonly number[]
  readonly rows: readonly Row[]
  /** A known arrangement as one value per column. Null if none is known. */
  readonly start: readonly number[] | null
}

/** An integer program, and how to read its solution. `Place` is the type of a destination. It includes null if a claim may stay. */
export interface Formulated<Place extends HostName | null = HostName> {
  readonly program: Program
  /** Converts the values of the columns to a host for each instance. Throws RangeError if the values place a wrong number of instances. */
  read(values: readonly number[]): readonly Place[]
  /** Counts: `candidates` are the hosts with columns, `passing` the hosts that pass the filters for at least one kind of instances. */
  readonly size: { readonly columns: number; readonly rows: number; readonly candidates: number; readonly passing: number }
}

/** An integer program has at most this many columns. With many kinds of instances, fewer hosts are considered for each kind. */
export const MAX_COLUMNS = 4_000

export interface FormulateOptions {
  /** The seed for the order of hosts with equal scores. */
  readonly seed: string
  /** If true, each host gets at most one kind of instances with NUMA cells, GPUs or PCI devices. */
  readonly isCareful?: boolean
  /** If true, as many hosts are considered as MAX_COLUMNS allows. If false, at most as many as the profile's `candidates`. */
  readonly isWide?: boolean
}

/**
 * Formulates the placement of a request's instances as an integer program. Each column stands for one more instance of a kind on a host.
 * A host has as many columns for a kind as instances of this kind alone fit on it. Rows require that all instances are placed. Further rows
 * limit what several kinds share: the amounts of resource classes and GPU shares on a host, disk pools, server groups, and topology spread.
 * NUMA cells, GPUs and PCI devices of several kinds on one host have no rows. The solution is checked for them afterwards. The generator
 * yields after each step that examines all hosts. The overlay is open until the generator ends, so no other code may use the fleet.
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
  const limits = { hosts: isWide ? MAX_COLUMNS : candidates, columns: Math.floor(MAX_COLUMNS / scores.length) }
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
    // The minimum member count is taken over all domains that are considered for at least one kind of instances. For a kind that ignores
    // some of these domains, the minimum can only be too low. Therefore the rows never allow a skew that the filter would refuse.
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
