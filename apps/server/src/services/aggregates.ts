import { randomUUID } from 'node:crypto'
import {
  type Aggregate,
  type AggregateChanged,
  type AggregateState,
  ALLOCATION_RULES,
  aggregateRatioKeys,
  allNamesIn,
  byCodeUnit,
  covers,
  type Fleet,
  fleetKeys,
  type HostIndex,
  hostsOfManyNames,
  inSlices,
  isExact,
  isLive,
  type MetadataReader,
  metadataReaders,
  nearMisses,
  partsNaming,
  pluginsOf,
  presentHosts,
  problemAt,
  quote,
  ratioIn,
  SLICE,
  type Steps,
  servedProfiles,
  type Void,
  ZONE_KEY,
} from '@gantt/scheduler-core'
import type { NovaAggregate } from '@gantt/scheduler-core/nova'
import { aggregateFields, type QueryReaders } from '@gantt/scheduler-core/query'
import { filterInPieces } from '../replica/in-pieces.ts'
import { answerInPieces } from '../replica/question.ts'
import type { Replica } from '../replica/replica.ts'
import { type Dated, datedIn } from './dated.ts'
import { compileLine } from './host-query.ts'
import { type HostView, keyOfHost, viewHost } from './host-view.ts'
import type { Impact } from './hosts.ts'
import { readAggregate } from './nova-import.ts'
import { type Failure, type Invalid, type Issue, invalid, issue, type NotFound, notFound, sentenceOf } from './outcome.ts'
import { listOf, type Page, type PageArgs, pageOf } from './paging.ts'
import { snapshotOf } from './snapshots.ts'
import { checkName, checkText } from './text.ts'

const MAX_HOSTS = 100_000
const MAX_KEYS = 256
export interface KeyValue {
  readonly key: string
  readonly value: string
}

/** What an edit changes; what is absent stays. Members and metadata are deltas, so that two operators cannot erase each other's work. */
export interface AggregateEdit {
  readonly name?: string | null | undefined
  readonly availabilityZone?: string | null | undefined
  readonly setMetadata?: readonly KeyValue[] | null | undefined
  readonly unsetMetadata?: readonly string[] | null | undefined
  readonly addHosts?: readonly string[] | null | undefined
  readonly removeHosts?: readonly string[] | null | undefined
}

export interface AggregateDone {
  readonly type: 'done'
  /** Null when it was deleted. */
  readonly aggregate: Aggregate | null
  readonly impact: Impact
  readonly dryRun: boolean
  /** What is written, or would be. */
  readonly change: AggregateChanged
}

export interface VersionConflict extends Failure {
  readonly type: 'version-conflict'
  readonly expected: number
  readonly actual: number
  readonly current: Aggregate | null
}

export type AggregateOutcome = AggregateDone | NotFound | VersionConflict | Invalid

export interface AggregateListArgs extends PageArgs {
  /** A line of the filter grammar. */
  readonly query?: string | null | undefined
  /** By name, upwards, if not given. */
  readonly orderBy?: AggregateOrder | null | undefined
}

export interface AggregateOrder {
  readonly field: 'name' | 'zone' | 'hosts' | 'version' | 'updatedAt'
  readonly direction: 'ASC' | 'DESC'
}

export interface Aggregates {
  /** `fleet`, here and below: the present one if not given. */
  find(uuid: string, fleet?: Fleet): Dated<Aggregate> | undefined
  list(args: AggregateListArgs, fleet?: Fleet): Promise<Page<Dated<Aggregate>>>
  /** Those that a host is in, by uuid. */
  of(host: HostView, args: PageArgs): Page<Dated<Aggregate>>
  /** Its metadata, each key with who reads it: of the profiles that served calls, or were tried, at its moment. */
  metadataOf(aggregate: Dated<Aggregate>): readonly MetadataEntry[]
  /** Its member hosts, in the order of first sight. */
  hostsIn(aggregate: Dated<Aggregate>, args: PageArgs): Page<HostView>
  create(input: AggregateEdit & { readonly name: string }, by: string, dryRun: boolean): Promise<AggregateOutcome>
  /** Makes an aggregate as Nova has it, by Nova's uuid, or makes the one of that uuid the same. */
  importNova(document: unknown, by: string, dryRun: boolean): Promise<AggregateOutcome>
  update(uuid: string, ifVersion: number, edit: AggregateEdit, by: string, dryRun: boolean): Promise<AggregateOutcome>
  delete(uuid: string, ifVersion: number, dryRun: boolean): Promise<AggregateOutcome>
}

/** A key of an aggregate's metadata, and who reads it. */
export interface MetadataEntry extends KeyValue {
  /** Those that name the key, then those to which requests may name it. */
  readonly readers: readonly MetadataReader[]
  /** It means something to the service itself, whatever profiles read. */
  readonly isOwn: boolean
  /** Where nobody names the key: filters and weighers that would, if a profile in use had them. */
  readonly unusedReaders: readonly string[]
  /** Where nobody names the key: those that are named and are spelled much like it. */
  readonly similarKeys: readonly string[]
}

/** An allocation ratio that an aggregate gives its hosts. */
export interface AggregateRatioView {
  readonly resourceClass: string
  readonly ratio: number
  readonly by: string | null
  readonly at: number | null
}

export const ratiosOf = ({ metadata, ratiosSet }: Aggregate): AggregateRatioView[] =>
  Object.keys(aggregateRatioKeys).flatMap((resourceClass) => {
    const ratio = ratioIn(metadata, resourceClass)
    const set = ratiosSet?.[resourceClass]
    return ratio === undefined ? [] : [{ resourceClass, ratio, by: set?.by || null, at: set?.at ?? null }]
  })

const givesRatios = (next: AggregateState | null): boolean =>
  next !== null && Object.keys(aggregateRatioKeys).some((resourceClass) => ratioIn(next.metadata, resourceClass) !== undefined)

export const zoneOf = ({ metadata }: AggregateState): string | null => metadata[ZONE_KEY] ?? null

/** How the fields of the filter grammar are read from an aggregate. */
const readersIn = (namesOf: (host: string) => readonly string[]): QueryReaders<Aggregate> => ({
  '': ({ name }) => name,
  name: ({ name }) => name,
  az: (aggregate) => zoneOf(aggregate) ?? undefined,
  host: ({ hosts }) => hosts.flatMap(namesOf),
  key: ({ metadata }) => Object.keys(metadata),
  value: ({ metadata }) => Object.values(metadata),
  hosts: ({ hosts }) => hosts.length,
})

const BY_NAME: AggregateOrder = { field: 'name', direction: 'ASC' }

/** What aggregates are ordered by. */
const orderReaders: Readonly<Record<AggregateOrder['field'], (aggregate: Aggregate) => string | number>> = {
  name: ({ name }) => name,
  zone: (aggregate) => zoneOf(aggregate) ?? '',
  hosts: ({ hosts }) => hosts.length,
  version: ({ version }) => version,
  updatedAt: ({ updatedAt }) => updatedAt,
}
const NUMBERS: ReadonlySet<AggregateOrder['field']> = new Set(['hosts', 'version', 'updatedAt'])

type OrderKey = readonly [by: string | number, name: string]

/** Two of the same kind. */
const compareKeys = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : byCodeUnit(String(a), String(b))

export function createAggregates(replica: Replica): Aggregates {
  const find = (uuid: string, fleet = replica.fleet): Dated<Aggregate> | undefined => {
    const aggregate = fleet.aggregates.byUuid.get(uuid)
    return aggregate && datedIn(aggregate, fleet, replica.fleet)
  }

  /** Writes the next state of an aggregate, or tells what writing it would do. */
  const write = async (
    uuid: string,
    expectedVersion: number,
    next: AggregateState | null,
    by: string,
    dryRun: boolean,
  ): Promise<AggregateOutcome> => {
    const fleet = snapshotOf(replica)
    const impact = await answerInPieces(impactOf(fleet, fleet.aggregates.byUuid.get(uuid), next))
    // who sets a ratio is kept once every replica keeps it
    const isKept = fleet.featureLevel >= ALLOCATION_RULES && givesRatios(next)
    const change: AggregateChanged = { type: 'aggregate', uuid, expectedVersion, next, ...(isKept && { by }) }
    const verdict: Void = dryRun
      ? await answerInPieces(fleet.aggregates.refusesInSteps(change))
      : (await replica.propose([change]))[0]?.void
    if (verdict === 'aggregate.version') return versionConflict(expectedVersion, find(uuid))
    if (verdict !== undefined) return refused(verdict, next)
    const planned: Aggregate | null =
      next === null ? null : { ...next, uuid, version: expectedVersion + 1, updatedAt: fleet.now, revision: fleet.place.revision }
    return { type: 'done', aggregate: dryRun ? planned : next === null ? null : (find(uuid) ?? planned), impact, dryRun, change }
  }

  /** The aggregate at the version that the caller saw, or why it is not. */
  const at = async (uuid: string, ifVersion: number): Promise<Aggregate | NotFound | VersionConflict> => {
    if (find(uuid)?.version !== ifVersion) await replica.fresh()
    const current = find(uuid)
    if (current === undefined) return notFound('aggregate', uuid, ['uuid'])
    return current.version === ifVersion ? current : versionConflict(ifVersion, current)
  }

  /** An edit with its hosts as they are called now. A list may still have a name of before. */
  const named = <Edit extends AggregateEdit>(edit: Edit): Edit => {
    const { hosts } = replica.fleet
    const removed = edit.removeHosts ?? []
    return {
      ...edit,
      addHosts: presentHosts(hosts, edit.addHosts ?? []),
      removeHosts: [...new Set([...removed, ...presentHosts(hosts, removed)])],
    }
  }
  /** Problems of an edit; hosts that nobody reported yet may be on their way, so it looks at the store before it says so. */
  const check = async (edit: AggregateEdit): Promise<Issue[]> => {
    const added = edit.addHosts ?? []
    if (added.some((host) => replica.fleet.hosts.nodesOf(host).length === 0)) await replica.fresh()
    return checkEdit(replica.fleet, edit)
  }

  return {
    find,
    async list({ query, orderBy, ...page }, fleet = replica.fleet) {
      const { field, direction } = orderBy ?? BY_NAME
      const read = orderReaders[field]
      const sign = direction === 'ASC' ? 1 : -1
      const keyFor = (aggregate: Aggregate) => [read(aggregate), aggregate.name] as const
      // what is equal by the order keeps the names upwards
      const compare = (a: OrderKey, b: OrderKey): number => sign * compareKeys(a[0], b[0]) || byCodeUnit(a[1], b[1])
      const isAsked = compileLine(query, aggregateFields, readersIn(allNamesIn(hostsOfManyNames(fleet.hosts))))
      const asked = await filterInPieces([...fleet.aggregates.byUuid.values()], isAsked)
      const all = asked.map((aggregate) => datedIn(aggregate, fleet, replica.fleet))
      return pageOf(
        listOf('aggregates', [query, field, direction]),
        page,
        all.sort((a, b) => compare(keyFor(a), keyFor(b))),
        {
          types: [NUMBERS.has(field) ? 'number' : 'string', 'string'],
          keyFor,
          isAfter: (one, last: OrderKey) => compare(keyFor(one), last) > 0,
        },
      )
    },
    of: ({ fleet, record }, args) =>
      pageOf(
        listOf('aggregates', keyOfHost(record)),
        args,
        record.aggregates.flatMap((uuid) => find(uuid, fleet) ?? []),
        { types: ['string'], keyFor: ({ uuid }) => [uuid] as const, isAfter: ({ uuid }, [last]) => byCodeUnit(uuid, last) > 0 },
      ),
    metadataOf({ metadata, of = replica.fleet }) {
      const plugins = pluginsOf(of)
      const all = metadataReaders(servedProfiles(of.profiles), plugins)
      return Object.entries(metadata).map(([key, value]) => {
        const readers = all.filter((reader) => covers(reader, key))
        const isOwn = fleetKeys.includes(key)
        const isNamed = isOwn || readers.some(isExact)
        return {
          ...{ key, value, readers, isOwn },
          unusedReaders: isNamed ? [] : partsNaming(key, plugins),
          similarKeys: isNamed ? [] : nearMisses(key, plugins),
        }
      })
    },
    hostsIn({ uuid, hosts, of: fleet = replica.fleet }, args) {
      // in order by number: a view of each host would be looked up at every comparison
      const indexes = Array.from(Int32Array.from(hosts.flatMap((host) => fleet.hosts.nodesOf(host))).sort(), (index) => index as HostIndex)
      const page = pageOf(listOf('hosts', uuid), args, indexes, {
        types: ['number'],
        keyFor: (index) => [index] as const,
        isAfter: (index, [last]) => index > last,
      })
      return { ...page, edges: page.edges.map(({ cursor, node }) => ({ cursor, node: viewHost(fleet, { index: node }) })) }
    },
    async create(input, by, dryRun) {
      const issues = asGiven(await check(input), ([, ...inner]) => ['input', ...ofCreation(inner)])
      if (issues.length > 0) return invalid(issues)
      return write(randomUUID(), 0, edited({ name: input.name, metadata: {}, hosts: [] }, named(input)), by, dryRun)
    },
    async importNova(document, by, dryRun) {
      const read = readAggregate(document, ['document'])
      if ('message' in read) return invalid([read])
      await replica.fresh()
      const current = find(read.uuid)
      const edit = editTo({ ...read, hosts: presentHosts(replica.fleet.hosts, read.hosts) }, current)
      const issues = asGiven(await check(edit), ([, ...inner]) => ['document', ...ofDocument(inner, edit)])
      if (issues.length > 0) return invalid(issues)
      const next = edited(current ?? { name: read.name, metadata: {}, hosts: [] }, edit)
      return write(read.uuid, current?.version ?? 0, next, by, dryRun)
    },
    async update(uuid, ifVersion, edit, by, dryRun) {
      const issues = await check(edit)
      if (issues.length > 0) return invalid(issues)
      const current = await at(uuid, ifVersion)
      return 'type' in current ? current : write(uuid, ifVersion, edited(current, named(edit)), by, dryRun)
    },
    async delete(uuid, ifVersion, dryRun) {
      const current = await at(uuid, ifVersion)
      return 'type' in current ? current : write(uuid, ifVersion, null, '', dryRun)
    },
  }
}

/** Problems of an edit that was made of another input, at the places of that one. */
const asGiven = (issues: readonly Issue[], placeOf: (path: readonly string[]) => readonly string[]): Issue[] =>
  issues.map((found) => problemAt(found, placeOf(found.path)))

/** What a new aggregate has, an edit adds. */
const CREATED: Readonly<Record<string, string>> = { setMetadata: 'metadata', addHosts: 'hosts' }

const ofCreation = ([field = '', ...rest]: readonly string[]): readonly string[] => [CREATED[field] ?? field, ...rest]

/** Nova's metadata is an object by key. */
function ofDocument(path: readonly string[], { setMetadata }: AggregateEdit): readonly string[] {
  const [field = '', position, ...rest] = ofCreation(path)
  if (position === undefined) return [field]
  const key = field === 'metadata' ? setMetadata?.[Number(position)]?.key : undefined
  return key === undefined ? [field, position, ...rest] : [field, key]
}

/** The edit that makes an aggregate what Nova says it is. */
function editTo({ name, metadata, hosts }: NovaAggregate, current: AggregateState | undefined): AggregateEdit {
  return {
    name,
    setMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    unsetMetadata: Object.keys(current?.metadata ?? {}).filter((key) => !Object.hasOwn(metadata, key)),
    addHosts: hosts,
    removeHosts: (current?.hosts ?? []).filter((host) => !hosts.includes(host)),
  }
}

function edited({ name, metadata, hosts }: AggregateState, edit: AggregateEdit): AggregateState {
  const unset = new Set(edit.unsetMetadata ?? [])
  const removed = new Set(edit.removeHosts ?? [])
  const kept = Object.entries(metadata).filter(([key]) => !unset.has(key))
  const set = (edit.setMetadata ?? []).map(({ key, value }) => [key, value] as const)
  const zone = typeof edit.availabilityZone === 'string' ? [[ZONE_KEY, edit.availabilityZone] as const] : []
  return {
    name: edit.name ?? name,
    metadata: Object.fromEntries([...kept, ...set, ...zone]),
    hosts: [...new Set([...hosts.filter((host) => !removed.has(host)), ...(edit.addHosts ?? [])])].sort(byCodeUnit),
  }
}

function checkEdit({ hosts }: Fleet, edit: AggregateEdit): Issue[] {
  const { name, availabilityZone, setMetadata, unsetMetadata, addHosts, removeHosts } = edit
  const issues: Issue[] = []
  if (typeof name === 'string') issues.push(...checkName(['input', 'name'], name))
  if (typeof availabilityZone === 'string') issues.push(...checkName(['input', 'availabilityZone'], availabilityZone))
  if ((setMetadata ?? []).length > MAX_KEYS) issues.push(issue(['input', 'setMetadata'], setMetadata, `be at most ${MAX_KEYS} keys`))
  const keys = new Set<string>()
  for (const [i, { key, value }] of (setMetadata ?? []).entries()) {
    const path = ['input', 'setMetadata', String(i)]
    issues.push(...checkName([...path, 'key'], key))
    // the zone is a name; other values are what their readers make of them
    const checkValue = key === ZONE_KEY ? checkName : checkText
    issues.push(...checkValue([...path, 'value'], value, { min: key === ZONE_KEY ? 1 : 0, max: 4_096 }))
    if (key === '__proto__') issues.push(issue([...path, 'key'], key, 'be another key'))
    if (keys.has(key)) issues.push(issue([...path, 'key'], key, 'be given once', 'call.repeated'))
    if (key === ZONE_KEY && typeof availabilityZone === 'string' && value !== availabilityZone)
      issues.push(issue([...path, 'value'], value, `be ${availabilityZone}, as availabilityZone says`))
    keys.add(key)
  }
  for (const [i, key] of (unsetMetadata ?? []).entries())
    if (keys.has(key)) issues.push(issue(['input', 'unsetMetadata', String(i)], key, 'not be set by the same edit', 'call.repeated'))
  if ((addHosts ?? []).length > MAX_HOSTS) issues.push(issue(['input', 'addHosts'], addHosts, `be at most ${MAX_HOSTS} hosts`))
  const removed = new Set(removeHosts)
  for (const [i, host] of (addHosts ?? []).entries()) {
    const path = ['input', 'addHosts', String(i)]
    if (presentHosts(hosts, [host]).every((name) => hosts.nodesOf(name).length === 0))
      issues.push(issue(path, host, 'be the name of a host that has reported', 'host.unknown'))
    if (removed.has(host)) issues.push(issue(path, host, 'not be removed by the same edit', 'call.repeated'))
  }
  return issues
}

function* impactOf({ hosts }: Fleet, before: Aggregate | undefined, next: AggregateState | null): Steps<Impact> {
  const were = new Set(before?.hosts)
  const will = new Set(next?.hosts)
  const left = [...were].filter((host) => !will.has(host))
  const joined = [...will].filter((host) => !were.has(host))
  const stayed = [...will].filter((host) => were.has(host))
  const zoneBefore = before === undefined ? null : zoneOf(before)
  const zoneNext = next === null ? null : zoneOf(next)
  const zoneMoves =
    (zoneBefore === null ? 0 : left.length) + (zoneNext === null ? 0 : joined.length) + (zoneBefore === zoneNext ? 0 : stayed.length)
  let [hostsAffected, claimsOnAffectedHosts] = [0, 0]
  for (const host of inSlices([...left, ...joined, ...stayed], SLICE)) {
    if (host === undefined) yield
    for (const index of host === undefined ? [] : hosts.nodesOf(host)) {
      hostsAffected++
      for (const claim of hosts.get(index).claims) if (isLive(claim)) claimsOnAffectedHosts++
    }
  }
  const isRisky = zoneMoves > 0 && claimsOnAffectedHosts > 0
  const warnings = [...(isRisky ? ['Hosts that hold claims would change their availability zone.'] : []), ...unreadRatios(next)]
  return { hostsAffected, zoneChanges: zoneMoves, claimsOnAffectedHosts, warnings }
}

/** Ratios that are none, as sentences: an operator who mistypes one would not see it otherwise. */
const unreadRatios = (next: AggregateState | null): string[] =>
  Object.entries(aggregateRatioKeys).flatMap(([resourceClass, key]) => {
    const text = next !== null && Object.hasOwn(next.metadata, key) ? next.metadata[key] : undefined
    if (next === null || text === undefined || ratioIn(next.metadata, resourceClass) !== undefined) return []
    return [`${key} is ${quote(text)}, not a number of 0.001 to 1000: no aggregate's ratio counts for ${resourceClass} on its hosts.`]
  })

const versionConflict = (expected: number, current: Aggregate | undefined): VersionConflict => ({
  type: 'version-conflict',
  code: 'CONFLICT',
  message: `The aggregate is at version ${current?.version ?? 0}, not ${expected}; read it again.`,
  path: ['ifVersion'],
  expected,
  actual: current?.version ?? 0,
  current: current ?? null,
})

function refused(verdict: NonNullable<Void>, next: AggregateState | null): Invalid {
  const [field, found] = verdict === 'aggregate.name_taken' ? ['name', next?.name] : ['availabilityZone', next?.metadata[ZONE_KEY]]
  const message = sentenceOf(verdict)
  const expected = field === 'name' ? 'a name that no other aggregate has' : 'a zone that agrees with the hosts’ other aggregates'
  return invalid([{ code: verdict, path: ['input', field], message, expected, actual: found ?? '' }], 'CONFLICT')
}
