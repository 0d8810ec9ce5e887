import { z } from 'zod'
import { isLive } from '../claims/claim.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { nodesMeant, nodesNamed, presentHosts } from '../fleet/present-names.ts'
import { atOnce, type Steps } from '../fleet/steps.ts'
import type { HostIndex } from '../host-index.ts'
import { type Parsed, type Problem, quote } from '../problem.ts'
import { limits } from '../request/limits.ts'
import { parseWith } from '../request/parse.ts'
import { keyValues } from '../request/versions/v1-0.ts'

/** Hosts that may be made up at once. */
export const MOST_ADDED = 10_000
const MOST_NAMED = 100_000

const name = z.string().min(1).max(limits.nameLength)
const names = z.array(name).max(MOST_NAMED).default([])

/**
 * What a fleet is asked to be instead of what it is, as data. Edits are made in the order of the fields: hosts that are
 * added can be named by the aggregate changes and ratios that follow.
 */
export const fleetEditsSchema = z.strictObject({
  addHosts: z
    .array(
      z.strictObject({
        likeHost: name,
        count: z.number().int().min(1).max(MOST_ADDED).default(1),
        availabilityZone: name.nullable().default(null),
        aggregates: z.array(name).max(limits.entries).nullable().default(null),
      }),
    )
    .max(limits.entries)
    .default([]),
  removeHosts: names,
  /** These are DRAINING. What is on them is moved by who knows what their claims' decisions asked for. */
  drainHosts: names,
  disableHosts: names,
  enableHosts: names,
  aggregateChanges: z
    .array(
      z.strictObject({
        aggregate: name,
        addHosts: names,
        removeHosts: names,
        setMetadata: keyValues.default({}),
        unsetMetadata: z.array(name).max(limits.entries).default([]),
      }),
    )
    .max(limits.entries)
    .default([]),
  ratios: z
    .array(
      z.strictObject({
        host: name.nullable().default(null),
        node: name.nullable().default(null),
        aggregate: name.nullable().default(null),
        resourceClass: name,
        allocationRatio: z.number().min(0.001).max(limits.ratio),
      }),
    )
    .max(limits.entries)
    .default([]),
  /** How much of a class a host, or one node of it, keeps back. */
  reserves: z
    .array(
      z.strictObject({
        host: name,
        node: name.nullable().default(null),
        resourceClass: name,
        reserved: z.number().int().min(0).max(limits.amount),
      }),
    )
    .max(limits.entries)
    .default([]),
  releaseClaims: names,
  /** Reservations that end by this store time, milliseconds since 1970, have ended. */
  expireBy: z.number().int().min(0).nullable().default(null),
})

/**
 * Edits of a fleet. `likeHost`: a host whose machine the new ones have, with nothing on it, named `<likeHost>+1` and so on.
 * Aggregates go by uuid or name; left out, new hosts are in those of the host they are like, but for other zones' ones.
 */
export type FleetEdits = z.output<typeof fleetEditsSchema>
export type FleetEditsInput = z.input<typeof fleetEditsSchema>

/** Nothing is otherwise. */
export const NO_EDITS: FleetEdits = fleetEditsSchema.parse({})

export const isNoEdit = (edits: FleetEdits): boolean => editNames.every((field) => isNothing(edits[field]))
const editNames = Object.keys(fleetEditsSchema.shape) as (keyof FleetEdits)[]
const isNothing = (value: FleetEdits[keyof FleetEdits]): boolean => value === null || (Array.isArray(value) && value.length === 0)

/** The edits of both, those of the first before those of the second. */
export function joinEdits(a: FleetEdits, b: FleetEdits): FleetEdits {
  return {
    addHosts: [...a.addHosts, ...b.addHosts],
    removeHosts: [...a.removeHosts, ...b.removeHosts],
    drainHosts: [...a.drainHosts, ...b.drainHosts],
    disableHosts: [...a.disableHosts, ...b.disableHosts],
    enableHosts: [...a.enableHosts, ...b.enableHosts],
    aggregateChanges: [...a.aggregateChanges, ...b.aggregateChanges],
    ratios: [...a.ratios, ...b.ratios],
    reserves: [...a.reserves, ...b.reserves],
    releaseClaims: [...new Set([...a.releaseClaims, ...b.releaseClaims])],
    expireBy: a.expireBy === null ? b.expireBy : Math.max(a.expireBy, b.expireBy ?? 0),
  }
}

/** The uuid of the aggregate of a uuid or name; undefined when there is none. */
export function findAggregate({ aggregates }: Fleet, ref: string): string | undefined {
  if (aggregates.byUuid.has(ref)) return ref
  for (const { uuid, name: known } of aggregates.byUuid.values()) if (known === ref) return uuid
  return undefined
}

/** Hosts or names that are looked at between two pauses. */
const SLICE = 500

/** Names of the hosts that are added, in their order; none of them is a name of the fleet. */
export function* addedNames({ hosts }: Fleet, { addHosts }: Pick<FleetEdits, 'addHosts'>): Steps<readonly (readonly string[])[]> {
  const taken = new Set<string>()
  const added: string[][] = []
  for (const { likeHost, count } of addHosts) {
    const own: string[] = []
    for (let number = 1; own.length < count; number++) {
      if (number % SLICE === 0) yield
      const made = `${likeHost}+${number}`
      if (taken.has(made) || hosts.nodesOf(made).length > 0 || hosts.refusesName({ host: made, node: made }) !== undefined) continue
      taken.add(made)
      own.push(made)
    }
    added.push(own)
  }
  return added
}

/** Hosts by their present names, each once, with pauses. */
export function* presentHostsInSteps({ hosts }: Fleet, names: readonly string[]): Steps<readonly string[]> {
  const present = new Set<string>()
  for (let from = 0; from < names.length; from += SLICE) {
    if (from > 0) yield
    for (const name of presentHosts(hosts, names.slice(from, from + SLICE))) present.add(name)
  }
  return [...present]
}

/** Unknown input to edits that this fleet can take, or every problem at once. What only the order of edits shows, `applyEdits` tells. */
export const parseFleetEdits = (fleet: Fleet, input: unknown): Parsed<FleetEdits> => atOnce(parseFleetEditsInSteps(fleet, input))

/** The same with pauses, during which nobody may write the fleet. */
export function* parseFleetEditsInSteps(fleet: Fleet, input: unknown): Steps<Parsed<FleetEdits>> {
  const parsed = parseWith(fleetEditsSchema, input, 'overlay')
  if (!parsed.ok) return parsed
  yield
  const hosts = yield* checkHosts(fleet, parsed.value)
  const problems = [...hosts, ...checkAggregates(fleet, parsed.value), ...(yield* checkClaims(fleet, parsed.value))]
  return problems.length === 0 ? parsed : { ok: false, problems }
}

function* checkHosts(fleet: Fleet, edits: FleetEdits): Steps<Problem[]> {
  const problems: Problem[] = []
  const added = edits.addHosts.reduce((sum, { count }) => sum + count, 0)
  if (added > MOST_ADDED) problems.push(wrong('overlay.invalid', ['addHosts'], added, `at most ${MOST_ADDED} hosts in all`))
  // only aggregate changes and ratios may name them
  const namesMade =
    edits.aggregateChanges.some(({ addHosts }) => addHosts.length > 0) ||
    [...edits.ratios, ...edits.reserves].some(({ host }) => host !== null)
  const isMadeNamed = added <= MOST_ADDED && namesMade
  const made = new Set(isMadeNamed ? (yield* addedNames(fleet, edits)).flat() : [])
  const isKnown = (host: string): boolean => presentHosts(fleet.hosts, [host]).some((name) => fleet.hosts.nodesOf(name).length > 0)
  function* check(path: readonly string[], names: readonly string[]): Steps<void> {
    for (const [i, host] of names.entries()) {
      if (i % SLICE === SLICE - 1) yield
      if (isKnown(host) || made.has(host)) continue
      problems.push(wrong('overlay.unknown', [...path, String(i)], host, 'the name of a host that has reported'))
    }
  }
  for (const [i, { likeHost }] of edits.addHosts.entries())
    if (!isKnown(likeHost))
      problems.push(wrong('overlay.unknown', ['addHosts', String(i), 'likeHost'], likeHost, 'the name of a host that has reported'))
  for (const field of ['removeHosts', 'drainHosts', 'disableHosts', 'enableHosts'] as const)
    for (const [i, host] of edits[field].entries()) {
      if (i % SLICE === SLICE - 1) yield
      if (nodesMeant(fleet.hosts, host).length === 0)
        problems.push(
          wrong('overlay.unknown', [field, String(i)], host, 'the name of a host that has reported, or HOST/NODE for one of its nodes'),
        )
    }
  const checkNode = (path: readonly string[], host: string, node: string | null): void => {
    if (made.has(host) && (node === null || node === host)) return
    if (node === null ? isKnown(host) : nodesNamed(fleet.hosts, { host, node }).length > 0) return
    const [last, found] = node !== null && isKnown(host) ? ['node', node] : ['host', host]
    problems.push(wrong('overlay.unknown', [...path, last], found, `the name of a ${last} that has reported`))
  }
  for (const [i, { host, node, aggregate }] of edits.ratios.entries()) {
    const path = ['ratios', String(i)]
    if (host !== null && aggregate !== null)
      problems.push(wrong('overlay.invalid', [...path, 'aggregate'], aggregate, 'left out where a host is named'))
    if (host === null && node !== null) problems.push(wrong('overlay.invalid', [...path, 'node'], node, 'left out where no host is named'))
    if (host !== null) checkNode(path, host, node)
  }
  for (const [i, { host, node }] of edits.reserves.entries()) checkNode(['reserves', String(i)], host, node)
  for (const [a, { addHosts }] of edits.aggregateChanges.entries()) yield* check(['aggregateChanges', String(a), 'addHosts'], addHosts)
  const shut = new Set<HostIndex>()
  const shutNames = edits.enableHosts.length === 0 ? [] : [...edits.removeHosts, ...edits.drainHosts, ...edits.disableHosts]
  for (const [i, host] of shutNames.entries()) {
    if (i % SLICE === SLICE - 1) yield
    for (const { index } of nodesMeant(fleet.hosts, host)) shut.add(index)
  }
  for (const [i, host] of edits.enableHosts.entries()) {
    if (i % SLICE === SLICE - 1) yield
    if (shut.size > 0 && nodesMeant(fleet.hosts, host).some(({ index }) => shut.has(index)))
      problems.push(wrong('overlay.invalid', ['enableHosts', String(i)], host, 'a host that is not removed, drained or disabled beside'))
  }
  return problems
}

function checkAggregates(fleet: Fleet, { addHosts, aggregateChanges, ratios, reserves }: FleetEdits): Problem[] {
  const problems: Problem[] = []
  const check = (path: readonly string[], ref: string): void => {
    if (findAggregate(fleet, ref) === undefined) problems.push(wrong('overlay.unknown', path, ref, 'the uuid or name of an aggregate'))
  }
  const checkClass = (path: readonly string[], resourceClass: string): void => {
    if (!fleet.hosts.classes.has(resourceClass))
      problems.push(wrong('overlay.unknown', [...path, 'resourceClass'], resourceClass, 'a resource class that hosts report'))
  }
  for (const [i, { aggregates }] of addHosts.entries())
    for (const [j, ref] of (aggregates ?? []).entries()) check(['addHosts', String(i), 'aggregates', String(j)], ref)
  for (const [i, { aggregate }] of aggregateChanges.entries()) check(['aggregateChanges', String(i), 'aggregate'], aggregate)
  for (const [i, { aggregate, resourceClass }] of ratios.entries()) {
    if (aggregate !== null) check(['ratios', String(i), 'aggregate'], aggregate)
    checkClass(['ratios', String(i)], resourceClass)
  }
  for (const [i, { resourceClass }] of reserves.entries()) checkClass(['reserves', String(i)], resourceClass)
  return problems
}

function* checkClaims({ ledger }: Fleet, { releaseClaims }: FleetEdits): Steps<Problem[]> {
  const problems: Problem[] = []
  for (const [i, id] of releaseClaims.entries()) {
    if (i % SLICE === SLICE - 1) yield
    const path = ['releaseClaims', String(i)]
    const claim = ledger.claims.get(id)
    if (claim === undefined || !isLive(claim)) problems.push(wrong('overlay.unknown', path, id, 'the id of a live claim'))
    // its room is in the figures of the host's own report, which nobody can take apart
    else if (claim.state === 'MATERIALISED')
      problems.push(wrong('overlay.invalid', path, id, "a claim that its host's report does not count yet: this one is MATERIALISED"))
  }
  return problems
}

const wrong = (code: 'overlay.invalid' | 'overlay.unknown', path: readonly string[], found: unknown, expected: string): Problem => ({
  code,
  path,
  message: `${path.join('.')} is ${quote(found)}; it must be ${expected}`,
  expected,
  actual: quote(found),
})
