import type { CompiledProfile } from '../../contracts/compiled-profile.ts'
import { pluginsOf } from '../../contracts/plugins.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Overlay } from '../../fleet/overlay.ts'
import { compileProfile } from '../../pipeline/compile.ts'
import { passesSafely } from '../../pipeline/filtering/passes-safely.ts'
import { isAsked, prepareFilters } from '../../pipeline/filtering/run-filters.ts'
import { createTieOrder } from '../../pipeline/weighing/pick.ts'
import type { Claim } from '../../records/claim.ts'
import type { Profile } from '../../records/profile.ts'
import { DEFAULT_SOLVER_OPTIONS } from '../../records/solver-options.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { HostName } from '../../values/host-name.ts'
import type { Steps } from '../../values/steps.ts'
import { liftSource } from '../decide.ts'
import { createFilterScheduler, groupOf, prepareGrants } from '../filter-scheduler.ts'
import { valuesOf } from './arrange.ts'
import { type Column, columnsOf } from './columns.ts'
import type { Draft } from './draft.ts'
import { type Formulated, type FormulateOptions, MAX_COLUMNS } from './program.ts'
import { chain, keepGroup, placeMost, sharePools, shareRoom } from './rows.ts'
import { type MemberScores, scoresOfKind } from './scores.ts'

/** A claim to be moved (`source`), and the request by which its instance is placed on the destination. */
export interface Move {
  readonly request: RequestSpec
  readonly source: Claim
}

export interface FormulateMovesOptions extends FormulateOptions {
  /** True if claims may stay on their hosts. Each placed move then adds more to the objective than any difference in scores. */
  readonly mayStay?: boolean
}

export interface FormulatedMoves extends Formulated<HostName | null> {
  /** The value that each placed move adds to the objective, in addition to its score. */
  readonly bonus: number
  /** The result of the scheduler FILTER, which places one move after the other. */
  readonly byFilter: { readonly placed: number; readonly objective: number }
}

/** Moves with equal requests, listed by their indexes in the batch. */
interface Kind {
  readonly move: Move
  readonly positions: readonly number[]
}

/**
 * Formulates an integer program for the destinations of a batch of moves. Each claim has its own request and group, and is lifted while its
 * destinations are scored (`Overlay.lift`). A source keeps its resources until its move is finished, so no move can use capacity that
 * another move frees. The rows limit the capacities that moves share on a host, and keep the members of anti-affinity groups apart.
 * Topology spread has no rows, so the solution is checked for it afterwards. Moves for which no host passes have no columns. The generator
 * yields after each step that examines all hosts.
 */
export function* formulateMoves(
  profile: Profile,
  moves: readonly Move[],
  fleet: Fleet,
  overlay: Overlay,
  { seed, isCareful = false, isWide = false, mayStay = false }: FormulateMovesOptions,
): Generator<void, FormulatedMoves> {
  const compiled = compileProfile(profile, pluginsOf(fleet))
  const filtered = yield* arrangeMoves(compiled, moves, fleet, overlay, seed)
  const kinds = kindsOf(moves)
  const known = kinds.map(({ positions }) => positions.flatMap((position) => filtered[position] ?? []))
  const { candidates = DEFAULT_SOLVER_OPTIONS.candidates } = profile.solver ?? {}
  const limits = { hosts: isWide ? MAX_COLUMNS : candidates, columns: Math.max(1, Math.floor(MAX_COLUMNS / kinds.length)) }
  const scores: MemberScores[] = []
  const columns: Column[] = []
  for (const [k, kind] of kinds.entries()) {
    const own = yield* scoresOfMoves(kind, compiled, fleet, overlay)
    scores.push(own)
    yield
    columns.push(...(yield* columnsOf(own, k, known[k] ?? [], limits, createTieOrder(profile, seed), fleet, kind.move.request)))
  }
  const bonus = mayStay ? 1 + 2 * mostWorth(kinds, columns) : 0
  const draft: Draft = { objective: columns.map(({ score }) => score + bonus), most: columns.map(() => 1), rows: [] }
  placeMost(draft, columns, scores, mayStay)
  chain(draft, columns, isCareful)
  if (kinds.length > 1) shareRoom(draft, columns, scores, fleet, isCareful)
  sharePools(draft, columns, scores, fleet)
  yield
  for (const [{ request }, members] of apart(kinds)) keepGroup(draft, columns, request, fleet, members)
  const start = valuesOf(columns, known)
  const { length: placed } = filtered.filter((host) => host !== null)
  // Moves for which no host passes have no columns.
  const placeable = kinds.reduce(
    (sum, { positions }, k) => sum + Math.min(positions.length, columns.filter(({ kind }) => kind === k).length),
    0,
  )
  return {
    program: { ...draft, start: mayStay || placed === placeable ? start : null },
    read: (values) => readMoves(kinds, columns, values, moves.length, fleet),
    size: {
      columns: draft.most.length,
      rows: draft.rows.length,
      candidates: new Set(columns.map(({ host }) => host)).size,
      passing: new Set(scores.flatMap(({ weighed }) => [...weighed.hosts])).size,
    },
    bonus,
    byFilter: {
      placed,
      objective: columns.reduce((sum, { score }, i) => sum + score * (start[i] as number), 0),
    },
  }
}

/**
 * Returns true if `hosts` has a valid destination for each move: the host passes every filter while the overlay contains the earlier moves.
 * A null in `hosts` means that the claim stays on its host. The overlay is unchanged at the end.
 */
export function holdsMoves(
  profile: Profile,
  moves: readonly Move[],
  fleet: Fleet,
  overlay: Overlay,
  hosts: readonly (HostName | null)[],
): boolean {
  const compiled = compileProfile(profile, pluginsOf(fleet))
  const before = overlay.size
  const holds = moves.every(({ request, source }, position) => {
    const name = hosts[position]
    if (name === null || name === undefined) return true
    const index = fleet.hosts.find(name)?.index
    if (index === undefined) return false
    const passes = without({ request, source }, overlay, () =>
      prepareFilters(compiled, request, fleet)
        .filter(isAsked)
        .every(({ prepared }) => prepared !== undefined && passesSafely(prepared, index) === true),
    )
    if (!passes) return false
    const grants = prepareGrants(compiled, request, fleet)(index)
    overlay.holdMove({ claim: '', instance: null, host: name.host, node: name.node, grants }, groupOf(request), source)
    return true
  })
  overlay.rollback(before)
  return holds
}

/**
 * Chooses a destination for each move as the scheduler FILTER does, one move after the other. Null if no host was found. The claim then
 * stays on its host. The overlay is unchanged when the generator ends.
 */
function* arrangeMoves(
  compiled: CompiledProfile,
  moves: readonly Move[],
  fleet: Fleet,
  overlay: Overlay,
  seed: string,
): Generator<void, readonly (HostIndex | null)[]> {
  const filter = createFilterScheduler(compiled)
  const options = { seed, alternatesPerInstance: 0, allOrNothing: true, claimIds: [''] }
  const before = overlay.size
  const hosts: (HostIndex | null)[] = []
  for (const move of moves) {
    const { parts } = yield* withoutInSteps(move, overlay, () => filter.selectInSteps(move.request, fleet, overlay, options))
    const [part] = parts
    if (part !== undefined) overlay.holdMove(part, groupOf(move.request), move.source)
    hosts.push(part === undefined ? null : (fleet.hosts.find(part)?.index ?? null))
    yield
  }
  overlay.rollback(before)
  return hosts
}

/** Groups moves with equal requests into kinds. A move in an affinity group is its own kind, because it depends on the other members. */
function kindsOf(moves: readonly Move[]): readonly Kind[] {
  const kinds = new Map<string, { readonly move: Move; readonly positions: number[] }>()
  for (const [position, move] of moves.entries()) {
    const { instanceUuids: _, ...asked } = move.request
    const key = asked.instanceGroup?.policy === 'AFFINITY' ? move.source.id : JSON.stringify(asked)
    const known = kinds.get(key)
    if (known === undefined) kinds.set(key, { move, positions: [position] })
    else known.positions.push(position)
  }
  return [...kinds.values()]
}

function* scoresOfMoves({ move, positions }: Kind, compiled: CompiledProfile, fleet: Fleet, overlay: Overlay): Steps<MemberScores> {
  const members = { name: null, first: 0, count: positions.length, request: move.request }
  const scores = yield* withoutInSteps(move, overlay, () => scoresOfKind(members, compiled, fleet, overlay))
  return { ...scores, chainOf: (host, most) => without(move, overlay, () => scores.chainOf(host, most)) }
}

/** Calls `use` while the moving claim is lifted (`Overlay.lift`). Afterwards, everything that `use` reserved is released. */
function without<T>({ request, source }: Move, overlay: Overlay, use: () => T): T {
  const before = overlay.size
  liftSource(overlay, request, source)
  try {
    return use()
  } finally {
    overlay.rollback(before)
  }
}

/** `without` for a `use` that is a generator. */
function* withoutInSteps<T>({ request, source }: Move, overlay: Overlay, use: () => Steps<T>): Steps<T> {
  const before = overlay.size
  liftSource(overlay, request, source)
  try {
    return yield* use()
  } finally {
    overlay.rollback(before)
  }
}

/** An upper bound for the absolute value of the sum of the scores of all moves. */
function mostWorth(kinds: readonly Kind[], columns: readonly Column[]): number {
  const most = new Array<number>(kinds.length).fill(0)
  for (const { kind, score } of columns) most[kind] = Math.max(most[kind] as number, Math.abs(score))
  return kinds.reduce((sum, { positions }, k) => sum + positions.length * (most[k] as number), 0)
}

/** The anti-affinity groups with moves of several kinds. Only these need rows: within a kind, the filters limit the members per host. */
function apart(kinds: readonly Kind[]): readonly (readonly [Move, ReadonlySet<number>])[] {
  const groups = new Map<string, readonly [Move, Set<number>]>()
  for (const [k, { move }] of kinds.entries()) {
    const group = move.request.instanceGroup
    if (group?.policy !== 'ANTI_AFFINITY') continue
    const known = groups.get(group.uuid)
    if (known === undefined) groups.set(group.uuid, [move, new Set([k])])
    else known[1].add(k)
  }
  return [...groups.values()].filter(([, members]) => members.size > 1)
}

/** Converts the values of the columns to a host for each move. The first moves of a kind get the hosts with the higher scores. */
function readMoves(
  kinds: readonly Kind[],
  columns: readonly Column[],
  values: readonly number[],
  count: number,
  fleet: Fleet,
): readonly (HostName | null)[] {
  const hosts = new Array<HostName | null>(count).fill(null)
  for (const [k, { positions }] of kinds.entries()) {
    const taken = columns
      .filter(({ kind }, i) => kind === k && Math.round(values[i] ?? 0) === 1)
      .sort((a, b) => a.copy - b.copy || b.score - a.score || a.host - b.host)
    if (taken.length > positions.length) throw new RangeError(`the solver places ${taken.length} of ${positions.length} moves`)
    for (const [i, { host }] of taken.entries()) {
      const { host: name, node } = fleet.hosts.get(host)
      hosts[positions[i] as number] = { host: name, node }
    }
  }
  return hosts
}
