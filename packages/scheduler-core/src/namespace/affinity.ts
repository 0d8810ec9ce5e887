import type { Code } from '../codes.ts'
import { type Fact, fromHint, fromRequest, type Source } from '../evidence.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type HostRecord, hostKey } from '../fleet/hosts.ts'
import { OWN_AFFINITY } from '../fleet/levels.ts'
import type { HostIndex } from '../host-index.ts'
import type { PreparedFilter } from '../prepared-filter.ts'
import type { Reason } from '../reason.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { shortList } from '../short-list.ts'
import type { Namespace } from './contract.ts'
import { ELSEWHERE } from './distance.ts'
import { type Told, toldIn } from './told.ts'

/** Things of another service that an instance may want to be near to: the hint that names them, and how far hosts are. */
export interface Affinity<Document, Thing> {
  readonly namespace: Namespace<Document>
  /** The scheduler hint that names them by uuid. */
  readonly hint: string
  /** The field of a request that names those which the instance itself has. */
  readonly field: string
  /** Those, by uuid. */
  own(request: RequestSpec): readonly string[]
  /** No young document says where the thing is. */
  readonly unknown: Code
  readonly far: Code
  find(document: Document, uuid: string): Thing | undefined
  /** From a host, with its own document if there is a young one; `teller` is the host whose document says where the thing is. */
  distance(thing: Thing, host: HostRecord, own: Document | undefined, teller: HostRecord): number
  /** Where the thing is, in words. */
  place(thing: Thing): string
}

interface Spot<Thing> {
  readonly uuid: string
  /** The instance itself has it, and no hint names it: only hosts that are told to be far are refused for it. */
  readonly isOwn: boolean
  /** Undefined where no young document names it. */
  readonly known: { readonly thing: Thing; readonly teller: HostRecord } | undefined
}

/** What a request wants to be near to, found; undefined where it asks for nothing. */
interface Nearness<Document, Thing> {
  readonly told: Told<Document>
  readonly spots: readonly Spot<Thing>[]
  /** NaN where nobody can say: the thing is not found. */
  distance(spot: Spot<Thing>, host: HostIndex): number
}

/**
 * Refuses hosts that are farther than `limit` from any of the things; `need` says it in words. `onlyWhereTold`: nothing is asked while no host
 * has a document of the namespace.
 */
export function prepareNear<Document, Thing>(
  affinity: Affinity<Document, Thing>,
  request: RequestSpec,
  fleet: Fleet,
  { limit, maxAgeSeconds, onlyWhereTold }: { readonly limit: number; readonly maxAgeSeconds: number; readonly onlyWhereTold: boolean },
): PreparedFilter | undefined {
  const nearness = findThings(affinity, request, fleet, maxAgeSeconds)
  if (nearness === undefined || (onlyWhereTold && !fleet.hosts.isToldOf(affinity.namespace.name))) return undefined
  const { told, spots, distance } = nearness
  const { hosts } = fleet
  const isNear = (spot: Spot<Thing>, host: HostIndex): boolean =>
    distance(spot, host) <= limit || (spot.isOwn && told.of(hosts.get(host)) === undefined)

  const refusal = (spot: Spot<Thing>, host: HostIndex): { readonly reason: Reason; readonly from: Source } => {
    const record = hosts.get(host)
    const { uuid, known, isOwn } = spot
    const source = isOwn ? affinity.field : `hint ${affinity.hint}`
    if (known === undefined) {
      const from: Source = { kind: 'rule', ref: `no ${affinity.namespace.name} document that is young enough names it` }
      return { reason: { code: affinity.unknown, subject: affinity.hint, need: uuid, have: 'not told of', source }, from }
    }
    if (told.of(record) === undefined) return { reason: told.refusal(record), from: told.source(record) }
    const far = distance(spot, host)
    const need = `distance ${limit} or less to ${affinity.place(known.thing)} (${uuid})`
    const have = far >= ELSEWHERE ? 'not reached' : `distance ${far}`
    return { reason: { code: affinity.far, subject: affinity.hint, need, have, source }, from: told.source(record) }
  }
  const askedIn = ({ isOwn }: Spot<Thing>): Source => (isOwn ? fromRequest(affinity.field) : fromHint(affinity.hint))
  const factOf = (spot: Spot<Thing>, host: HostIndex): Fact[] => {
    const { reason, from } = refusal(spot, host)
    const { subject = '', need, have, unit } = reason
    const fact: Fact = {
      subject,
      ...(need !== undefined && { required: need }),
      ...(have !== undefined && { actual: have }),
      ...(unit !== undefined && { unit }),
      requiredFrom: askedIn(spot),
      actualFrom: from,
    }
    if (spot.known === undefined) return [fact]
    const { thing, teller } = spot.known
    const place: Fact = {
      subject: spot.uuid,
      actual: `in ${affinity.place(thing)}, as told of ${hostKey(teller)}`,
      requiredFrom: askedIn(spot),
      actualFrom: told.source(teller),
    }
    return [fact, place]
  }
  return {
    each: () => spots.map((spot) => ({ which: `near ${spot.uuid}`, passes: (host: HostIndex) => isNear(spot, host) })),
    passes: (host) => spots.every((spot) => isNear(spot, host)),
    reason: (host) => refusal(spots.find((spot) => !isNear(spot, host)) as Spot<Thing>, host).reason,
    facts: (host) => spots.filter((spot) => !isNear(spot, host)).flatMap((spot) => factOf(spot, host)),
  }
}

/**
 * Minus the sum of the distances to the things that are found; 0 where nothing is asked for. A host of which nobody can say
 * how far it is has no number, and so counts as the farthest; from what the instance itself has it is one step farther than all that are told.
 */
export function weighNear<Document, Thing>(
  affinity: Affinity<Document, Thing>,
  request: RequestSpec,
  fleet: Fleet,
  maxAgeSeconds: number,
): (host: HostIndex) => number {
  const nearness = findThings(affinity, request, fleet, maxAgeSeconds)
  const found = nearness?.spots.filter(({ known }) => known !== undefined) ?? []
  if (nearness === undefined || found.length === 0) return () => 0
  const { told, distance } = nearness
  const isTold = (host: HostIndex): boolean => told.of(fleet.hosts.get(host)) !== undefined
  const beyond = new Map<Spot<Thing>, number>()
  const beyondAll = (spot: Spot<Thing>): number => {
    let most = beyond.get(spot)
    if (most === undefined) {
      most = 1
      for (const { index } of fleet.hosts.present) {
        const far = isTold(index) ? distance(spot, index) : ELSEWHERE
        if (far < ELSEWHERE && far >= most) most = far + 1
      }
      beyond.set(spot, most)
    }
    return most
  }
  return (host) => {
    let sum = 0
    for (const spot of found) {
      const far = distance(spot, host)
      if (far < ELSEWHERE || isTold(host)) sum += far
      else if (spot.isOwn) sum += beyondAll(spot)
      else return Number.NaN
    }
    return 0 - sum
  }
}

function findThings<Document, Thing>(
  affinity: Affinity<Document, Thing>,
  request: RequestSpec,
  fleet: Fleet,
  maxAgeSeconds: number,
): Nearness<Document, Thing> | undefined {
  const { hinted, own } = thingsOf(affinity, request, fleet.featureLevel)
  if (hinted.length + own.length === 0) return undefined
  const told = toldIn(affinity.namespace, fleet, maxAgeSeconds)
  const known = locate(affinity, told, fleet, [...hinted, ...own])
  const spots: readonly Spot<Thing>[] = [
    ...hinted.map((uuid) => ({ uuid, isOwn: false, known: known.get(uuid) })),
    ...own.flatMap((uuid) => (known.has(uuid) ? [{ uuid, isOwn: true, known: known.get(uuid) }] : [])),
  ]
  if (spots.length === 0) return undefined
  return {
    told,
    spots,
    distance(spot, host) {
      if (spot.known === undefined) return Number.NaN
      const record = fleet.hosts.get(host)
      return affinity.distance(spot.known.thing, record, told.of(record), spot.known.teller)
    },
  }
}

/** The things that a request wants to be near to: those that its hint names, and those that the instance has. */
function thingsOf<Document, Thing>(affinity: Affinity<Document, Thing>, request: RequestSpec, featureLevel: number) {
  const hinted = [...new Set((request.schedulerHints[affinity.hint] ?? []).map((uuid) => uuid.toLowerCase()))]
  const isAsked = featureLevel >= OWN_AFFINITY && request.nearVolumesAndPorts
  const own = isAsked ? affinity.own(request).map((uuid) => uuid.toLowerCase()) : []
  return { hinted, own: [...new Set(own)].filter((uuid) => !hinted.includes(uuid)) }
}

/** Which things of a request hosts are to be near to, in words that follow "hosts". */
export function nearWhich<Document, Thing>(affinity: Affinity<Document, Thing>, noun: string, request: RequestSpec, fleet: Fleet): string {
  const { hinted, own } = thingsOf(affinity, request, fleet.featureLevel)
  return `near ${noun} ${shortList([...hinted, ...own])}`
}

/** The youngest document that names a thing says where it is; of two of one time, that of the host that was seen first. */
function locate<Document, Thing>(
  { namespace, find }: Affinity<Document, Thing>,
  told: Told<Document>,
  { hosts }: Fleet,
  uuids: readonly string[],
): ReadonlyMap<string, NonNullable<Spot<Thing>['known']>> {
  const known = new Map<string, NonNullable<Spot<Thing>['known']>>()
  const timeOf = ({ namespaces }: HostRecord): number => namespaces.get(namespace.name)?.reportedAt ?? 0
  const tellers = hosts.tellersOf(namespace.name)
  for (const uuid of uuids)
    for (const host of tellers.of(uuid)) {
      const record = hosts.get(host)
      const document = told.of(record)
      const thing = document === undefined ? undefined : find(document, uuid)
      if (thing === undefined) continue
      const before = known.get(uuid)?.teller
      const ahead = before === undefined ? 1 : timeOf(record) - timeOf(before)
      if (before === undefined || ahead > 0 || (ahead === 0 && host < before.index)) known.set(uuid, { thing, teller: record })
    }
  return known
}
