import { z } from 'zod'
import { isHeldOnly } from '../claims/held-until.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { nodesMeant, nodesNamed, presentHosts } from '../fleet/present-names.ts'
import { isLive } from '../records/claim.ts'
import { limits } from '../request/limits.ts'
import { parseWith } from '../request/parse.ts'
import { keyValues } from '../request/versions/v1-0.ts'
import { type Parsed, type Problem, quote } from '../text/problem.ts'
import type { HostIndex } from '../values/host-index.ts'
import { atOnce, type Steps } from '../values/steps.ts'

/** Edits can add at most this many hosts. */
export const MAX_ADDED_HOSTS = 10_000
const MAX_NAMED_HOSTS = 100_000

const name = z.string().min(1).max(limits.nameLength)
const names = z.array(name).max(MAX_NAMED_HOSTS).default([])

/**
 * Hypothetical edits of a fleet as data. They are applied in the order of the fields below. Hosts are added first, because aggregate
 * changes and ratios can name added hosts.
 */
export const fleetEditsSchema = z
  .strictObject({
    addHosts: z
      .array(
        z
          .strictObject({
            likeHost: name.describe(
              'A present host whose hardware the new hosts have, without its instances. The new hosts are named after it: cmp-1+1, cmp-1+2.',
            ),
            count: z
              .number()
              .int()
              .min(1)
              .max(MAX_ADDED_HOSTS)
              .default(1)
              .describe('How many hosts are added; at most 10,000 in the whole overlay.'),
            availabilityZone: name
              .nullable()
              .default(null)
              .describe('Availability zone of the new hosts, which may be a new one; if null, the zone of the host in `likeHost`.'),
            aggregates: z
              .array(name)
              .max(limits.entries)
              .nullable()
              .default(null)
              .describe(
                'Aggregates of the new hosts, by UUID or name; if null, those of the host in `likeHost`, except aggregates of other availability zones.',
              ),
          })
          .describe('Hypothetical hosts to add to the fleet.'),
      )
      .max(limits.entries)
      .default([])
      .describe('Hosts that are added.'),
    removeHosts: names.describe(
      'Hosts that are removed together with their instances and claims. To move their instances to other hosts, use drainHosts instead.',
    ),
    drainHosts: names.describe(
      'Hosts that take no new instances and whose present instances move to other hosts. The moves happen after all other edits, oldest claim first. Instances for which no host is found stay and are reported in `drain`.',
    ),
    disableHosts: names.describe('Hosts that take no new instances. Their present instances stay.'),
    enableHosts: names.describe('Hosts that become ENABLED and UP.'),
    aggregateChanges: z
      .array(
        z
          .strictObject({
            aggregate: name.describe('The aggregate, by uuid or name.'),
            addHosts: names.describe('Hosts that join the aggregate. They may be hosts that the same overlay adds.'),
            removeHosts: names.describe('Hosts that leave the aggregate.'),
            setMetadata: keyValues.default({}).describe('Metadata keys that are set.'),
            unsetMetadata: z.array(name).max(limits.entries).default([]).describe('Metadata keys that are removed.'),
          })
          .describe('A hypothetical edit of an aggregate: other members or other metadata.'),
      )
      .max(limits.entries)
      .default([])
      .describe('Edits of aggregates: other members or other metadata.'),
    ratios: z
      .array(
        z
          .strictObject({
            host: name.nullable().default(null).describe('Host that gets the ratio; null: the hosts of `aggregate`.'),
            node: name.nullable().default(null).describe('The only node of the host that gets the ratio; null: all nodes of the host.'),
            aggregate: name
              .nullable()
              .default(null)
              .describe('Aggregate whose hosts get the ratio, by UUID or name. Without `aggregate` and `host`, all hosts get the ratio.'),
            resourceClass: name.describe('The resource class, e.g. VCPU, MEMORY_MB or DISK_GB.'),
            allocationRatio: z
              .number()
              .min(0.001)
              .max(limits.ratio)
              .describe('The allocation ratio: how many times over the resource class may be allocated.'),
          })
          .describe('A hypothetical allocation ratio of one resource class, for one host, an aggregate or all hosts.'),
      )
      .max(limits.entries)
      .default([])
      .describe('Allocation ratios that are set to other values.'),
    reserves: z
      .array(
        z
          .strictObject({
            host: name.describe('Host whose reserved amount changes.'),
            node: name.nullable().default(null).describe('The only node of the host whose amount changes; null: all nodes of the host.'),
            resourceClass: name.describe('The resource class, e.g. VCPU, MEMORY_MB or DISK_GB.'),
            reserved: z
              .number()
              .int()
              .min(0)
              .max(limits.amount)
              .meta({ description: 'The amount of the class that is reserved for the host itself.', unit: 'units of the class' }),
          })
          .describe('A hypothetical reserved amount of one resource class on a host.'),
      )
      .max(limits.entries)
      .default([])
      .describe('Reserved amounts that are set to other values. Takes effect from feature level 10 on.'),
    releaseClaims: names.describe(
      'Claims that are treated as ended. Claims in the state MATERIALISED are not allowed, because the host’s report already counts their instances.',
    ),
    /** Milliseconds since 1970. */
    expireBy: z
      .number()
      .int()
      .min(0)
      .nullable()
      .default(null)
      .describe("Reservations that expire up to this time, by the database's clock, are treated as expired."),
  })
  .describe(
    'Hypothetical edits of the fleet. They are applied to a private copy in the order of these fields, and the fleet itself is not changed. In removeHosts, drainHosts, disableHosts and enableHosts, HOST names all nodes of a host, and HOST/NODE names one of them.',
  )

/**
 * Edits of a fleet. In `addHosts`, the new hosts have the same hardware as `likeHost`, but no instances. They are named `<likeHost>+1`,
 * `<likeHost>+2` and so on. `aggregates` lists their aggregates by uuid or name. If it is null, the new hosts join the aggregates of
 * `likeHost`, except aggregates of other zones.
 */
export type FleetEdits = z.output<typeof fleetEditsSchema>
export type FleetEditsInput = z.input<typeof fleetEditsSchema>

/** Edits that change nothing. */
export const NO_EDITS: FleetEdits = fleetEditsSchema.parse({})

export const isNoEdit = (edits: FleetEdits): boolean => editNames.every((field) => isNothing(edits[field]))
const editNames = Object.keys(fleetEditsSchema.shape) as (keyof FleetEdits)[]
const isNothing = (value: FleetEdits[keyof FleetEdits]): boolean => value === null || (Array.isArray(value) && value.length === 0)

/** Combines two sets of edits. In each field, the edits of `a` are before the edits of `b`. */
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

/** The generator yields after reading this many hosts or names. */
const SLICE = 500

/** Finds the uuid of the aggregate that has `ref` as its uuid or name. Undefined if there is none. */
export type FindAggregate = (ref: string) => string | undefined

/** Reads all aggregates once, because a caller can name an aggregate tens of thousands of times. */
export function* aggregateFinder({ aggregates: { byUuid } }: Fleet): Steps<FindAggregate> {
  const byName = new Map<string, string>()
  let read = 0
  for (const { uuid, name: known } of byUuid.values()) {
    if (++read % SLICE === 0) yield
    if (!byName.has(known)) byName.set(known, uuid)
  }
  return (ref) => (byUuid.has(ref) ? ref : byName.get(ref))
}

/** For each entry of `addHosts`, the names of the new hosts. No host of the fleet has or had one of these names. */
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

/** The present names of the hosts with these present or former names, without duplicates. Yields in between. */
export function* presentHostsInSteps({ hosts }: Fleet, names: readonly string[]): Steps<readonly string[]> {
  const present = new Set<string>()
  for (let from = 0; from < names.length; from += SLICE) {
    if (from > 0) yield
    for (const name of presentHosts(hosts, names.slice(from, from + SLICE))) present.add(name)
  }
  return [...present]
}

/**
 * Parses unknown input as edits of this fleet. Returns the edits, or all problems at once. Problems that depend on the order of edits are
 * found later by `applyEdits`.
 */
export const parseFleetEdits = (fleet: Fleet, input: unknown): Parsed<FleetEdits> => atOnce(parseFleetEditsInSteps(fleet, input))

/** `parseFleetEdits` as a generator that yields in between. No other code may write the fleet until the generator ends. */
export function* parseFleetEditsInSteps(fleet: Fleet, input: unknown): Steps<Parsed<FleetEdits>> {
  const parsed = parseWith(fleetEditsSchema, input, 'overlay')
  if (!parsed.ok) return parsed
  yield
  const problems: Problem[] = []
  const note: Note = (code, path, found, expected) => {
    if (problems.length < MAX_PROBLEMS) problems.push(wrong(code, path, found, expected))
  }
  yield* checkHosts(fleet, parsed.value, note)
  yield* checkAggregates(fleet, parsed.value, note)
  yield* checkClaims(fleet, parsed.value, note)
  return problems.length === 0 ? parsed : { ok: false, problems }
}

/** At most this many problems of the names in the edits are returned, because each wrong name would otherwise become a text. */
const MAX_PROBLEMS = 100

/** Adds a problem with the value `found` at `path`. */
type Note = (code: 'overlay.invalid' | 'overlay.unknown', path: readonly string[], found: unknown, expected: string) => void

function* checkHosts(fleet: Fleet, edits: FleetEdits, note: Note): Steps<void> {
  const added = edits.addHosts.reduce((sum, { count }) => sum + count, 0)
  if (added > MAX_ADDED_HOSTS) note('overlay.invalid', ['addHosts'], added, `at most ${MAX_ADDED_HOSTS} hosts in total`)
  // only aggregate changes, ratios and reserved amounts can name added hosts, so these names are needed only then
  const namesMade =
    edits.aggregateChanges.some(({ addHosts }) => addHosts.length > 0) ||
    [...edits.ratios, ...edits.reserves].some(({ host }) => host !== null)
  const isMadeNamed = added <= MAX_ADDED_HOSTS && namesMade
  const made = new Set(isMadeNamed ? (yield* addedNames(fleet, edits)).flat() : [])
  const isKnown = (host: string): boolean => presentHosts(fleet.hosts, [host]).some((name) => fleet.hosts.nodesOf(name).length > 0)
  for (const [i, { likeHost }] of edits.addHosts.entries())
    if (!isKnown(likeHost)) note('overlay.unknown', ['addHosts', String(i), 'likeHost'], likeHost, 'the name of a host that has reported')
  const isMeant = yield* checkMeant(fleet, edits, note)
  const checkNode = (path: readonly string[], host: string, node: string | null): void => {
    if (made.has(host) && (node === null || node === host)) return
    if (node === null ? isKnown(host) : nodesNamed(fleet.hosts, { host, node }).length > 0) return
    const [last, found] = node !== null && isKnown(host) ? ['node', node] : ['host', host]
    note('overlay.unknown', [...path, last], found, `the name of a ${last} that has reported`)
  }
  for (const [i, { host, node, aggregate }] of edits.ratios.entries()) {
    const path = ['ratios', String(i)]
    if (host !== null && aggregate !== null) note('overlay.invalid', [...path, 'aggregate'], aggregate, 'left out where a host is named')
    if (host === null && node !== null) note('overlay.invalid', [...path, 'node'], node, 'left out where no host is named')
    if (host !== null) checkNode(path, host, node)
  }
  for (const [i, { host, node }] of edits.reserves.entries()) checkNode(['reserves', String(i)], host, node)
  for (const [a, { addHosts }] of edits.aggregateChanges.entries())
    for (const [i, host] of addHosts.entries()) {
      if (i % SLICE === SLICE - 1) yield
      if (!isKnown(host) && !made.has(host))
        note('overlay.unknown', ['aggregateChanges', String(a), 'addHosts', String(i)], host, 'the name of a host that has reported')
    }
  yield* checkEnabled(edits, isMeant, note)
}

/** The indexes of the nodes that a text means. */
type NodesMeant = (text: string) => readonly HostIndex[]

/**
 * Checks the hosts that are removed, drained, disabled or enabled. Returns a function that finds the nodes of each of these texts. Each
 * text is looked up once, because a text can mean thousands of nodes and can be listed a hundred thousand times.
 */
function* checkMeant({ hosts }: Fleet, edits: FleetEdits, note: Note): Steps<NodesMeant> {
  const known = new Map<string, readonly HostIndex[]>()
  const nodesOf = (text: string): readonly HostIndex[] => {
    const found = known.get(text) ?? nodesMeant(hosts, text).map(({ index }) => index)
    known.set(text, found)
    return found
  }
  for (const field of ['removeHosts', 'drainHosts', 'disableHosts', 'enableHosts'] as const)
    for (const [i, host] of edits[field].entries()) {
      if (i % SLICE === SLICE - 1) yield
      if (nodesOf(host).length === 0)
        note('overlay.unknown', [field, String(i)], host, 'the name of a host that has reported, or HOST/NODE for one of its nodes')
    }
  return nodesOf
}

/** Checks that no host is enabled that the same overlay removes, drains or disables. */
function* checkEnabled(edits: FleetEdits, nodesOf: NodesMeant, note: Note): Steps<void> {
  if (edits.enableHosts.length === 0) return
  let read = 0
  const shut = new Set<HostIndex>()
  for (const host of new Set([...edits.removeHosts, ...edits.drainHosts, ...edits.disableHosts])) {
    if (++read % SLICE === 0) yield
    for (const index of nodesOf(host)) shut.add(index)
  }
  if (shut.size === 0) return
  const both = new Set<string>()
  for (const host of new Set(edits.enableHosts)) {
    if (++read % SLICE === 0) yield
    if (nodesOf(host).some((index) => shut.has(index))) both.add(host)
  }
  for (const [i, host] of edits.enableHosts.entries()) {
    if (i % SLICE === SLICE - 1) yield
    if (both.has(host))
      note('overlay.invalid', ['enableHosts', String(i)], host, 'a host that is not removed, drained or disabled by the same overlay')
  }
}

function* checkAggregates(fleet: Fleet, { addHosts, aggregateChanges, ratios, reserves }: FleetEdits, note: Note): Steps<void> {
  const find = addHosts.length + aggregateChanges.length + ratios.length === 0 ? undefined : yield* aggregateFinder(fleet)
  const check = (path: readonly string[], ref: string): void => {
    if (find?.(ref) === undefined) note('overlay.unknown', path, ref, 'the uuid or name of an aggregate')
  }
  const checkClass = (path: readonly string[], resourceClass: string): void => {
    if (!fleet.hosts.classes.has(resourceClass))
      note('overlay.unknown', [...path, 'resourceClass'], resourceClass, 'a resource class that hosts report')
  }
  let read = 0
  for (const [i, { aggregates }] of addHosts.entries())
    for (const [j, ref] of (aggregates ?? []).entries()) {
      if (++read % SLICE === 0) yield
      check(['addHosts', String(i), 'aggregates', String(j)], ref)
    }
  for (const [i, { aggregate }] of aggregateChanges.entries()) check(['aggregateChanges', String(i), 'aggregate'], aggregate)
  for (const [i, { aggregate, resourceClass }] of ratios.entries()) {
    if (aggregate !== null) check(['ratios', String(i), 'aggregate'], aggregate)
    checkClass(['ratios', String(i)], resourceClass)
  }
  for (const [i, { resourceClass }] of reserves.entries()) checkClass(['reserves', String(i)], resourceClass)
}

function* checkClaims({ ledger }: Fleet, { releaseClaims }: FleetEdits, note: Note): Steps<void> {
  for (const [i, id] of releaseClaims.entries()) {
    if (i % SLICE === SLICE - 1) yield
    const path = ['releaseClaims', String(i)]
    const claim = ledger.claims.get(id)
    if (claim === undefined || !(isLive(claim) || isHeldOnly(claim)))
      note('overlay.unknown', path, id, 'the id of a claim that is live, or whose amounts stay held')
    // the reported usage includes the instance of a materialised claim, and it is unknown how much of the usage belongs to the instance
    else if (claim.state === 'MATERIALISED')
      note('overlay.invalid', path, id, "a claim that its host's report does not count yet: this one is MATERIALISED")
  }
}

const wrong = (code: 'overlay.invalid' | 'overlay.unknown', path: readonly string[], found: unknown, expected: string): Problem => ({
  code,
  path,
  message: `${path.join('.')} is ${quote(found)}; it must be ${expected}`,
  expected,
  actual: quote(found),
})
