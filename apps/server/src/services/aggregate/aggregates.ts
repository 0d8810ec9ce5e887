import { randomUUID } from 'node:crypto'
import {
  type Aggregate,
  type AggregateChanged,
  type AggregateState,
  ALLOCATION_RULES,
  aggregateRatioKeys,
  byCodeUnit,
  covers,
  type Fleet,
  fleetKeys,
  type HostIndex,
  inSlices,
  isExact,
  isLive,
  type MetadataReader,
  metadataReaders,
  nearMisses,
  partsNaming,
  pluginsOf,
  presentHosts,
  quote,
  ratioIn,
  SLICE,
  type Steps,
  servedProfiles,
  type Void,
  ZONE_KEY,
} from '@gantt/scheduler-core'
import { sortYielding } from '../../event-loop/lists.ts'
import { answerYielding } from '../../event-loop/query.ts'
import type { Replica } from '../../replica/replica.ts'
import { type Failure, type Invalid, invalid, type ManyIssues, type NotFound, notFound, sentenceOf } from '../calls/outcome.ts'
import { listOf, type Page, type PageArgs, pageOf } from '../calls/paging.ts'
import { type HostView, keyOfHost, viewHost } from '../host/host-view.ts'
import type { Impact } from '../host/hosts.ts'
import { type Dated, datedIn } from '../moments/dated.ts'
import { snapshotOf } from '../moments/snapshots.ts'
import { readAggregate } from '../stats/nova-import.ts'
import { checkEdit, tooManyKeys } from './aggregate-checks.ts'
import { type AggregateEdit, asGiven, edited, editTo, type KeyValue, ofCreation, ofDocument } from './aggregate-edit.ts'
import { findAggregates } from './aggregate-query.ts'

export interface AggregateDone {
  readonly type: 'done'
  /** Null if the aggregate was deleted. */
  readonly aggregate: Aggregate | null
  readonly impact: Impact
  readonly dryRun: boolean
  /** The change that is written, or that a dry run would write. */
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
  /** The order of the list. Absent: by name, ascending. */
  readonly orderBy?: AggregateOrder | null | undefined
}

export interface AggregateOrder {
  readonly field: 'name' | 'zone' | 'hosts' | 'version' | 'updatedAt'
  readonly direction: 'ASC' | 'DESC'
}

export interface Aggregates {
  /** Finds the aggregate in `fleet`, or in the present fleet if `fleet` is absent. */
  find(uuid: string, fleet?: Fleet): Dated<Aggregate> | undefined
  list(args: AggregateListArgs, fleet?: Fleet): Promise<Page<Dated<Aggregate>>>
  /** The aggregates of a host, sorted by uuid. */
  of(host: HostView, args: PageArgs): Page<Dated<Aggregate>>
  /**
   * The metadata of an aggregate. Each key is listed with the filters and weighers that read it in profiles that decide or are in a
   * rollout.
   */
  metadataOf(aggregate: Dated<Aggregate>): readonly MetadataEntry[]
  /** The member hosts, in the order in which they first reported. */
  hostsIn(aggregate: Dated<Aggregate>, args: PageArgs): Page<HostView>
  create(input: AggregateEdit & { readonly name: string }, by: string, dryRun: boolean): Promise<AggregateOutcome>
  /** Creates an aggregate of Nova with its uuid, or makes an existing one equal to it. */
  importNova(document: unknown, by: string, dryRun: boolean): Promise<AggregateOutcome>
  update(uuid: string, ifVersion: number, edit: AggregateEdit, by: string, dryRun: boolean): Promise<AggregateOutcome>
  delete(uuid: string, ifVersion: number, dryRun: boolean): Promise<AggregateOutcome>
}

/** A key of an aggregate's metadata, with its value and the filters and weighers that read the key, which are searched when asked for. */
export interface MetadataEntry extends KeyValue {
  /** First the filters and weighers that always read this key, then those that read whatever keys a request names. */
  readers(): readonly MetadataReader[]
  /** True if the service itself reads the key, whatever the profiles contain. */
  readonly isOwn: boolean
  /** If no filter or weigher of a profile in use reads the key: the filters and weighers that would read the key if a profile used them. */
  unusedReaders(): readonly string[]
  /** If nothing reads the key: known keys with a similar spelling. */
  similarKeys(): readonly string[]
}

/** An allocation ratio that the metadata of an aggregate sets for the member hosts. */
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

const BY_NAME: AggregateOrder = { field: 'name', direction: 'ASC' }

/** The fields by which aggregates are sorted. */
const orderReaders: Readonly<Record<AggregateOrder['field'], (aggregate: Aggregate) => string | number>> = {
  name: ({ name }) => name,
  zone: (aggregate) => zoneOf(aggregate) ?? '',
  hosts: ({ hosts }) => hosts.length,
  version: ({ version }) => version,
  updatedAt: ({ updatedAt }) => updatedAt,
}

const NUMBERS: ReadonlySet<AggregateOrder['field']> = new Set(['hosts', 'version', 'updatedAt'])

type OrderKey = readonly [by: string | number, name: string]

/** Compares two values of a sort key: numbers as numbers, everything else as text. */
const compareKeys = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : byCodeUnit(String(a), String(b))

export function createAggregates(replica: Replica): Aggregates {
  const find = (uuid: string, fleet = replica.fleet): Dated<Aggregate> | undefined => {
    const aggregate = fleet.aggregates.byUuid.get(uuid)
    return aggregate && datedIn(aggregate, fleet, replica.fleet)
  }

  /** Writes the next state of an aggregate. A dry run only returns the effects. */
  const write = async (
    uuid: string,
    expectedVersion: number,
    next: AggregateState | null,
    by: string,
    dryRun: boolean,
  ): Promise<AggregateOutcome> => {
    const fleet = snapshotOf(replica)
    const before = fleet.aggregates.byUuid.get(uuid)
    const full = tooManyKeys(next, before)
    if (full !== undefined) return invalid([full])
    const impact = await answerYielding(impactOf(fleet, before, next))
    // the author of a ratio is recorded once every replica supports such records
    const isKept = fleet.featureLevel >= ALLOCATION_RULES && givesRatios(next)
    const change: AggregateChanged = { type: 'aggregate', uuid, expectedVersion, next, ...(isKept && { by }) }
    const verdict: Void = dryRun
      ? await answerYielding(fleet.aggregates.refusesInSteps(change))
      : (await replica.propose([change]))[0]?.void
    if (verdict === 'aggregate.version') return versionConflict(expectedVersion, find(uuid))
    if (verdict !== undefined) return refused(verdict, next)
    const planned: Aggregate | null =
      next === null ? null : { ...next, uuid, version: expectedVersion + 1, updatedAt: fleet.now, revision: fleet.place.revision }
    return { type: 'done', aggregate: dryRun ? planned : next === null ? null : (find(uuid) ?? planned), impact, dryRun, change }
  }

  /**
   * The aggregate if it still has the version that the caller saw. Otherwise an error that names the aggregate's present version, or
   * NotFound if there is no such aggregate.
   */
  const at = async (uuid: string, ifVersion: number): Promise<Aggregate | NotFound | VersionConflict> => {
    if (find(uuid)?.version !== ifVersion) await replica.fresh()
    const current = find(uuid)
    if (current === undefined) return notFound('aggregate', uuid, ['uuid'])
    return current.version === ifVersion ? current : versionConflict(ifVersion, current)
  }

  /** Replaces earlier names of hosts in an edit with their present names, because a caller's list can contain earlier names. */
  const named = <Edit extends AggregateEdit>(edit: Edit): Edit => {
    const { hosts } = replica.fleet
    const removed = edit.removeHosts ?? []
    return {
      ...edit,
      addHosts: presentHosts(hosts, edit.addHosts ?? []),
      removeHosts: [...new Set([...removed, ...presentHosts(hosts, removed)])],
    }
  }
  /**
   * Errors of an edit. A host that is unknown here might just have reported to another replica, so the store is read before an error is
   * returned.
   */
  const check = async (edit: AggregateEdit): Promise<ManyIssues> => {
    const added = edit.addHosts ?? []
    if (added.some((host) => replica.fleet.hosts.nodesOf(host).length === 0)) await replica.fresh()
    return answerYielding(checkEdit(replica.fleet, edit))
  }

  return {
    find,
    async list({ query, orderBy, ...page }, fleet = replica.fleet) {
      const { field, direction } = orderBy ?? BY_NAME
      const read = orderReaders[field]
      const sign = direction === 'ASC' ? 1 : -1
      const keyFor = (aggregate: Aggregate) => [read(aggregate), aggregate.name] as const
      // aggregates with equal sort keys are sorted by name, ascending
      const compare = (a: OrderKey, b: OrderKey): number => sign * compareKeys(a[0], b[0]) || byCodeUnit(a[1], b[1])
      const asked = await answerYielding(findAggregates(query, fleet))
      const all = asked.map((aggregate) => datedIn(aggregate, fleet, replica.fleet))
      return pageOf(
        listOf('aggregates', [query, field, direction]),
        page,
        await sortYielding(all, (a, b) => compare(keyFor(a), keyFor(b))),
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
      let known: readonly MetadataReader[] | undefined
      const all = () => {
        known ??= metadataReaders(servedProfiles(of.profiles), plugins)
        return known
      }
      return Object.entries(metadata).map(([key, value]) => {
        const readers = () => all().filter((reader) => covers(reader, key))
        const isOwn = fleetKeys.includes(key)
        const isNamed = () => isOwn || readers().some(isExact)
        return {
          ...{ key, value, readers, isOwn },
          unusedReaders: () => (isNamed() ? [] : partsNaming(key, plugins)),
          similarKeys: () => (isNamed() ? [] : nearMisses(key, plugins)),
        }
      })
    },
    hostsIn({ uuid, hosts, of: fleet = replica.fleet }, args) {
      // sorted by index, because comparing views would look up each host again
      const indexes = Array.from(Int32Array.from(hosts.flatMap((host) => fleet.hosts.nodesOf(host))).sort(), (index) => index as HostIndex)
      const page = pageOf(listOf('hosts', uuid), args, indexes, {
        types: ['number'],
        keyFor: (index) => [index] as const,
        isAfter: (index, [last]) => index > last,
      })
      return { ...page, edges: page.edges.map(({ cursor, node }) => ({ cursor, node: viewHost(fleet, { index: node }) })) }
    },
    async create(input, by, dryRun) {
      const issues = await check(input)
      if (issues.count > 0) return asGiven(issues, ([, ...inner]) => ['input', ...ofCreation(inner)])
      const next = await answerYielding(edited({ name: input.name, metadata: {}, hosts: [] }, named(input)))
      return write(randomUUID(), 0, next, by, dryRun)
    },
    async importNova(document, by, dryRun) {
      const read = readAggregate(document, ['document'])
      if ('message' in read) return invalid([read])
      await replica.fresh()
      const current = find(read.uuid)
      const edit = await answerYielding(editTo({ ...read, hosts: presentHosts(replica.fleet.hosts, read.hosts) }, current))
      const issues = await check(edit)
      if (issues.count > 0) return asGiven(issues, ([, ...inner]) => ['document', ...ofDocument(inner, edit)])
      const next = await answerYielding(edited(current ?? { name: read.name, metadata: {}, hosts: [] }, edit))
      return write(read.uuid, current?.version ?? 0, next, by, dryRun)
    },
    async update(uuid, ifVersion, edit, by, dryRun) {
      const issues = await check(edit)
      if (issues.count > 0) return asGiven(issues, (path) => path)
      const current = await at(uuid, ifVersion)
      if ('type' in current) return current
      return write(uuid, ifVersion, await answerYielding(edited(current, named(edit))), by, dryRun)
    },
    async delete(uuid, ifVersion, dryRun) {
      const current = await at(uuid, ifVersion)
      return 'type' in current ? current : write(uuid, ifVersion, null, '', dryRun)
    },
  }
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

/**
 * Warnings about invalid allocation ratios: an invalid ratio is accepted and has no effect, so an operator would not notice a typing error.
 */
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
