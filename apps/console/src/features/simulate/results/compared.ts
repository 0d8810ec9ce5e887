import { formatCount, formatPercent, formatSigned } from '../../../lib/format.ts'
import { reasonOfHosts } from '../../../lib/reason-of-hosts.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { nameOfMoment } from '../../../lib/service/travel.ts'
import type { CAPACITY, SIMULATE } from '../documents.ts'
import { editsOf } from '../editor/edits.ts'
import { isRecord, type Scenario } from '../scenario.ts'
import { classUses, placedOn } from './outcome-rows.ts'

export type Simulation = ResultOf<typeof SIMULATE>['simulate']
export type Capacity = ResultOf<typeof CAPACITY>['capacity']
export type Drain = NonNullable<Simulation['drain']>

/** The results of a scenario that have arrived so far. */
export interface Known {
  readonly simulation: Simulation | undefined
  readonly capacity: Capacity | undefined
}

export interface ComparedCell {
  readonly text: string
  /** The difference from the value of the first scenario, such as +3. Absent if the values cannot be compared. */
  readonly delta?: string | undefined
  readonly title?: string | undefined
}

/** A row with one cell for each scenario. A cell is undefined while its value is unknown. */
export interface ComparedRow {
  readonly label: string
  readonly cells: readonly (ComparedCell | undefined)[]
  /** True if the values differ. False while one of the values is unknown. */
  readonly differs: boolean
}

/** The differences between scenarios: the fields of the request, then all other settings. Equal fields are omitted. */
export function askedRows(scenarios: readonly Scenario[]): ComparedRow[] {
  const requests = scenarios.map(({ request }) => new Map(leavesOf(request, '')))
  const fields = [...new Set(requests.flatMap((leaves) => [...leaves.keys()]))]
  const rowOf = (label: string, textOf: (scenario: Scenario) => string): ComparedRow =>
    toRow(
      label,
      scenarios.map((scenario) => ({ text: textOf(scenario) })),
    )
  return [
    ...fields.map((field) =>
      toRow(
        field,
        requests.map((leaves) => ({ text: leaves.get(field) ?? '-' })),
      ),
    ),
    rowOf('asked', ({ count }) => (count === 1 ? 'once' : `${formatCount(count)} times`)),
    rowOf('profile', ({ profile }) => profile ?? 'the default one'),
    rowOf('parts of the profile', ({ profileChanges }) => (profileChanges === undefined ? 'as they are' : JSON.stringify(profileChanges))),
    rowOf('fleet', ({ overlay }) => {
      const edits = editsOf(overlay)
      return edits.length === 0 ? 'as it is' : edits.map(({ text }) => text).join('; ')
    }),
    rowOf('moment', ({ at }) => (at === undefined ? 'now' : nameOfMoment(at))),
  ].filter(({ differs }) => differs)
}

/**
 * All values of a document as texts, with their paths. A list of plain values is treated as one value. An empty list or object is a value
 * too, because in Nova's documents it differs from an absent one.
 */
function leavesOf(value: unknown, path: string): (readonly [path: string, text: string])[] {
  if (path !== '' && (Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0))
    return [[path, JSON.stringify(value)]]
  if (isRecord(value)) return Object.entries(value).flatMap(([name, one]) => leavesOf(one, path === '' ? name : `${path}.${name}`))
  if (Array.isArray(value) && value.some((one) => typeof one === 'object'))
    return value.flatMap((one: unknown, i) => leavesOf(one, `${path}.${i}`))
  return [[path, Array.isArray(value) ? value.join(', ') : String(value)]]
}

/** Rows with the results of the scenarios, whether or not they differ. Resource classes that no scenario uses are omitted. */
export function resultRows(known: readonly Known[]): ComparedRow[] {
  const row = <Part>(
    label: string,
    part: (one: Known) => Part | undefined,
    cellOf: (part: Part, first: Part | undefined) => ComparedCell,
  ) => {
    const parts = known.map(part)
    return toRow(
      label,
      parts.map((one, i) => (one === undefined ? undefined : cellOf(one, i === 0 ? undefined : parts[0]))),
    )
  }
  const simulated = ({ simulation }: Known) => simulation
  const counted = ({ capacity }: Known) => capacity
  return [
    row('Placed', simulated, (one, first) => ({
      text: `${formatCount(one.placed)} of ${formatCount(askedOf(one))}`,
      delta: deltaOf(one.placed, first?.placed),
    })),
    ...(known.some(({ simulation }) => (simulation?.notDecided ?? 0) > 0)
      ? [row('Not decided in time', simulated, ({ notDecided }) => ({ text: formatCount(notDecided) }))]
      : []),
    ...(known.some(({ simulation }) => (simulation?.drain ?? null) !== null)
      ? [row('No destination after draining', simulated, ({ drain }, first) => drainCell(drain, first?.drain ?? null))]
      : []),
    row('Failure cause', simulated, ({ firstFailure }) => failureCell(firstFailure)),
    row('Hosts used', simulated, ({ decisions, decisionCount }) => {
      const hosts = formatCount(placedOn(decisions).length)
      return { text: decisions.length < decisionCount ? `at least ${hosts}` : hosts }
    }),
    row('More fit', counted, ({ fits, exact }, first) => ({
      text: `${exact ? '' : 'at least '}${formatCount(fits)}`,
      delta: exact && first?.exact === true ? deltaOf(fits, first.fits) : undefined,
    })),
    row('Limited by', counted, ({ bottleneck: [most] }) =>
      most === undefined
        ? { text: 'nothing' }
        : {
            text: `${most.resource} on ${formatCount(most.hosts)} ${most.hosts === 1 ? 'host' : 'hosts'}`,
            title: `${most.filter}: ${most.code}`,
          },
    ),
    ...usedClasses(known).map((resourceClass) =>
      row(`${resourceClass}, before → after`, simulated, ({ utilisationBefore, utilisationAfter }) => {
        const [before, after] = [utilisationBefore, utilisationAfter].map((zones) => classUses(zones).get(resourceClass))
        return {
          text: `${shareOf(before)} → ${shareOf(after)}`,
          title: after && `${formatCount(after.used)} of ${formatCount(after.capacity)}`,
        }
      }),
    ),
    ...[row('Decided on revision', simulated, ({ asOf }) => ({ text: asOf }))].filter(({ differs }) => differs),
  ]
}

/** A sentence that compares a scenario with the first scenario. Undefined while the results of one of them are unknown. */
export function verdictOf(names: readonly string[], known: readonly Known[], index: number): string | undefined {
  const [first, one] = [known[0]?.simulation, known[index]?.simulation]
  if (first === undefined || one === undefined) return undefined
  const more = one.placed - first.placed
  const [here, there] = [index, 0].map((at) => `“${names[at]}”`)
  if (more === 0) return `${here} places as many as ${there}: ${formatCount(one.placed)}.`
  return `${here} places ${formatCount(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'} than ${there}: ${formatCount(one.placed)} of ${formatCount(askedOf(one))}.`
}

export const askedOf = ({ placed, failed, notDecided }: Pick<Simulation, 'placed' | 'failed' | 'notDecided'>): number =>
  placed + failed + notDecided

function failureCell(failure: Simulation['firstFailure']): ComparedCell {
  if (failure === null) return { text: 'none: all were placed' }
  const [most] = failure.reasons
  if (most === undefined) return { text: `request ${formatCount(failure.copy + 1)}: no host was left` }
  return {
    text: `request ${formatCount(failure.copy + 1)}: ${most.code} on ${formatCount(most.hosts)} ${most.hosts === 1 ? 'host' : 'hosts'}`,
    title: `${most.filter}: ${reasonOfHosts(most)}`,
  }
}

/** A cell with the count of drained instances that have no destination. The title lists these instances with the reasons. */
function drainCell(drain: Drain | null, first: Drain | null): ComparedCell {
  if (drain === null) return { text: 'nothing is drained' }
  const { moved, stuck, withoutClaims, instances } = drain
  const shown = instances.map(({ claimId, instanceUuid, fromHost, message }) => `${instanceUuid ?? claimId} on ${fromHost}: ${message}`)
  const more = stuck > instances.length ? [`and ${formatCount(stuck - instances.length)} more`] : []
  return {
    text: `${formatCount(stuck)} of ${formatCount(moved + stuck)}${withoutClaims === 0 ? '' : `, and ${formatCount(withoutClaims)} without a claim`}`,
    delta: deltaOf(stuck, first?.stuck),
    ...(stuck > 0 && { title: [...shown, ...more].join('\n') }),
  }
}

/** The resource classes whose usage changes in any of the simulations. */
function usedClasses(known: readonly Known[]): readonly string[] {
  const changed = known.flatMap(({ simulation }) => {
    if (simulation === undefined) return []
    const before = classUses(simulation.utilisationBefore)
    return [...classUses(simulation.utilisationAfter)].flatMap(([name, { used }]) => (used === before.get(name)?.used ? [] : [name]))
  })
  return [...new Set(changed)]
}

const shareOf = (use: { readonly used: number; readonly capacity: number } | undefined): string =>
  use === undefined || use.capacity === 0 ? '-' : formatPercent((100 * use.used) / use.capacity)

function deltaOf(value: number, first: number | undefined): string | undefined {
  if (first === undefined || value === first) return undefined
  return formatSigned(value - first)
}

function toRow(label: string, cells: readonly (ComparedCell | undefined)[]): ComparedRow {
  const isKnown = cells.every((cell) => cell !== undefined)
  return { label, cells, differs: isKnown && new Set(cells.map((cell) => cell.text)).size > 1 }
}
