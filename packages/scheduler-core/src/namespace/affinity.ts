import { noPreference } from '../contracts/weigher.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type HostRecord, hostKey } from '../hosts/hosts.ts'
import type { Namespace } from '../records/namespace-document.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Code } from '../text/codes.ts'
import { type Fact, fromHint, fromRequest, type Source } from '../text/evidence.ts'
import type { PreparedFilter } from '../text/prepared-filter.ts'
import type { Reason } from '../text/reason.ts'
import { shortList } from '../text/short-list.ts'
import type { HostIndex } from '../values/host-index.ts'
import { COLLECTOR_STATES, OWN_AFFINITY } from '../values/levels.ts'
import { ELSEWHERE } from './facts/distance.ts'
import { type FreshDocuments, freshDocumentsOf } from './fresh-documents.ts'
import { factOf, prepareUnnamed, type Unsent } from './unsent.ts'

/**
 * Describes how instances are placed near things of another service, such as volumes: which hint of a request names the things, and how far
 * each host is from the things.
 */
export interface Affinity<Document, Thing> {
  readonly namespace: Namespace<Document>
  /** The scheduler hint that names the things by uuid. */
  readonly hint: string
  /** The request field that names the things that the instance itself has, such as its own volumes. */
  readonly field: string
  /** The uuids of the things that the instance itself has. */
  own(request: RequestSpec): readonly string[]
  /** The reason code with which all hosts are refused if no document that is recent enough has the location of the thing. */
  readonly unknown: Code
  /** The reason code with which a host is refused if the distance of the thing from the host is too large. */
  readonly far: Code
  find(document: Document, uuid: string): Thing | undefined
  /**
   * The distance of a thing from a host. `own` is the document of this host, or undefined if the host has no document that is recent
   * enough. `reporter` is the host whose document has the location of the thing.
   */
  distance(thing: Thing, host: HostRecord, own: Document | undefined, reporter: HostRecord): number
  /** The location of a thing as text. */
  place(thing: Thing): string
}

interface Spot<Thing> {
  readonly uuid: string
  /**
   * True if the thing belongs to the instance itself and no hint names the thing. A host without a document is then not refused, because no
   * document shows that the host is far from the thing.
   */
  readonly isOwn: boolean
  /** The thing, and the host whose document names it. Undefined if no document that is recent enough names the thing. */
  readonly known: { readonly thing: Thing; readonly reporter: HostRecord } | undefined
}

/** The things near which a request must be placed, with the documents that locate them. */
interface Nearness<Document, Thing> {
  readonly documents: FreshDocuments<Document>
  readonly spots: readonly Spot<Thing>[]
  /** The distance of a host from a thing. NaN if no document names the thing. */
  distance(spot: Spot<Thing>, host: HostIndex): number
}

/**
 * Prepares a filter that refuses hosts whose distance from one of the things is more than `limit`. With `onlyWhereTold`, the filter refuses
 * no host while no host has a document of the namespace.
 */
export function prepareNear<Document, Thing>(
  affinity: Affinity<Document, Thing>,
  request: RequestSpec,
  fleet: Fleet,
  { limit, maxAgeSeconds, onlyWhereTold }: { readonly limit: number; readonly maxAgeSeconds: number; readonly onlyWhereTold: boolean },
): PreparedFilter | undefined {
  const nearness = findThings(affinity, request, fleet, maxAgeSeconds)
  if (nearness === undefined || (onlyWhereTold && !fleet.hosts.hasDocuments(affinity.namespace.name))) return undefined
  const { documents, spots, distance } = nearness
  const { hosts } = fleet
  const isNear = (spot: Spot<Thing>, host: HostIndex): boolean =>
    distance(spot, host) <= limit || (spot.isOwn && documents.of(hosts.get(host)) === undefined)

  const ofUnnamed = prepareUnnamed(fleet, documents.unsent)
  const refusal = (spot: Spot<Thing>, host: HostIndex): Unsent => {
    const record = hosts.get(host)
    const { uuid, known, isOwn } = spot
    const source = isOwn ? affinity.field : `hint ${affinity.hint}`
    if (known === undefined) {
      const from: Source = { kind: 'rule', ref: `no ${affinity.namespace.name} document that is young enough names it` }
      return ofUnnamed(record, {
        reason: { code: affinity.unknown, subject: affinity.hint, need: uuid, have: 'not told of', source },
        from,
      })
    }
    if (documents.of(record) === undefined) return { reason: documents.refusal(record), from: documents.source(record) }
    const far = distance(spot, host)
    const need = `distance ${limit} or less to ${affinity.place(known.thing)} (${uuid})`
    const have = far >= ELSEWHERE ? 'not reached' : `distance ${far}`
    return { reason: { code: affinity.far, subject: affinity.hint, need, have, source }, from: documents.source(record) }
  }
  const askedIn = ({ isOwn }: Spot<Thing>): Source => (isOwn ? fromRequest(affinity.field) : fromHint(affinity.hint))
  const factsAt = (spot: Spot<Thing>, host: HostIndex): Fact[] => {
    const fact = factOf(refusal(spot, host), askedIn(spot))
    if (spot.known === undefined) return [fact]
    const { thing, reporter } = spot.known
    const place: Fact = {
      subject: spot.uuid,
      actual: `in ${affinity.place(thing)}, as reported about ${hostKey(reporter)}`,
      requiredFrom: askedIn(spot),
      actualFrom: documents.source(reporter),
    }
    return [fact, place]
  }
  return {
    each: () => spots.map((spot) => ({ which: `near ${spot.uuid}`, passes: (host: HostIndex) => isNear(spot, host) })),
    passes: (host) => spots.every((spot) => isNear(spot, host)),
    reason: (host) => refusal(spots.find((spot) => !isNear(spot, host)) as Spot<Thing>, host).reason,
    facts: (host) => spots.filter((spot) => !isNear(spot, host)).flatMap((spot) => factsAt(spot, host)),
  }
}

/**
 * Prepares a weigher whose score is minus the sum of the distances from the host to the things. Things that no document names are ignored.
 * A host without a document has the score NaN and therefore ranks last. If the thing belongs to the instance itself, the distance of such a
 * host is one step more than the largest known distance.
 */
export function weighNear<Document, Thing>(
  affinity: Affinity<Document, Thing>,
  request: RequestSpec,
  fleet: Fleet,
  maxAgeSeconds: number,
): (host: HostIndex) => number {
  const nearness = findThings(affinity, request, fleet, maxAgeSeconds)
  const found = nearness?.spots.filter(({ known }) => known !== undefined) ?? []
  if (nearness === undefined || found.length === 0) return noPreference
  const { documents, distance } = nearness
  const hasDocument = (host: HostIndex): boolean => documents.of(fleet.hosts.get(host)) !== undefined
  const beyond = new Map<Spot<Thing>, number>()
  const beyondAll = (spot: Spot<Thing>): number => {
    let most = beyond.get(spot)
    if (most === undefined) {
      most = 1
      for (const { index } of fleet.hosts.present) {
        const far = hasDocument(index) ? distance(spot, index) : ELSEWHERE
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
      if (far < ELSEWHERE || hasDocument(host)) sum += far
      else if (spot.isOwn) sum += beyondAll(spot)
      else return Number.NaN
    }
    return 0 - sum
  }
}

/**
 * Returns a function that says why the score of `weighNear` for a host is not based on a document of the host: it is NaN, an assumed
 * distance, or 0. Undefined if the request names no things, or below feature level COLLECTOR_STATES.
 */
export function whyNotWeighed<Document, Thing>(
  affinity: Affinity<Document, Thing>,
  request: RequestSpec,
  fleet: Fleet,
  maxAgeSeconds: number,
): ((host: HostIndex) => Reason | undefined) | undefined {
  const { hinted, own } = thingsOf(affinity, request, fleet.featureLevel)
  if (fleet.featureLevel < COLLECTOR_STATES || hinted.length + own.length === 0) return undefined
  const documents = freshDocumentsOf(affinity.namespace, fleet, maxAgeSeconds)
  const nearness = findThings(affinity, request, fleet, maxAgeSeconds)
  const found = nearness?.spots.filter(({ known }) => known !== undefined) ?? []
  return (host) => {
    const record = fleet.hosts.get(host)
    if (documents.of(record) !== undefined) return undefined
    const unsent = documents.unsent(record)
    if (unsent !== undefined) return unsent.reason
    const isFar = (spot: Spot<Thing>): boolean => (nearness?.distance(spot, host) ?? ELSEWHERE) >= ELSEWHERE
    return found.some(isFar) ? documents.refusal(record) : undefined
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
  const documents = freshDocumentsOf(affinity.namespace, fleet, maxAgeSeconds)
  const known = locate(affinity, documents, fleet, [...hinted, ...own])
  const spots: readonly Spot<Thing>[] = [
    ...hinted.map((uuid) => ({ uuid, isOwn: false, known: known.get(uuid) })),
    ...own.flatMap((uuid) => (known.has(uuid) ? [{ uuid, isOwn: true, known: known.get(uuid) }] : [])),
  ]
  if (spots.length === 0) return undefined
  return {
    documents,
    spots,
    distance(spot, host) {
      if (spot.known === undefined) return Number.NaN
      const record = fleet.hosts.get(host)
      return affinity.distance(spot.known.thing, record, documents.of(record), spot.known.reporter)
    },
  }
}

/** The things near which a request must be placed: things that its hint names, and things that belong to the instance itself. */
function thingsOf<Document, Thing>(affinity: Affinity<Document, Thing>, request: RequestSpec, featureLevel: number) {
  const hinted = [...new Set((request.schedulerHints[affinity.hint] ?? []).map((uuid) => uuid.toLowerCase()))]
  const isAsked = featureLevel >= OWN_AFFINITY && request.nearVolumesAndPorts
  const own = isAsked ? affinity.own(request).map((uuid) => uuid.toLowerCase()) : []
  return { hinted, own: [...new Set(own)].filter((uuid) => !hinted.includes(uuid)) }
}

/** The volumes or ports of a request, as text that completes "hosts": "near volume A, B". */
export function nearWhich<Document, Thing>(affinity: Affinity<Document, Thing>, noun: string, request: RequestSpec, fleet: Fleet): string {
  const { hinted, own } = thingsOf(affinity, request, fleet.featureLevel)
  return `near ${noun} ${shortList([...hinted, ...own])}`
}

/**
 * Finds each thing in the youngest document that names it. If two documents have the same report time, the document of the host with the
 * lower index is used.
 */
function locate<Document, Thing>(
  { namespace, find }: Affinity<Document, Thing>,
  documents: FreshDocuments<Document>,
  { hosts }: Fleet,
  uuids: readonly string[],
): ReadonlyMap<string, NonNullable<Spot<Thing>['known']>> {
  const known = new Map<string, NonNullable<Spot<Thing>['known']>>()
  const timeOf = ({ namespaces }: HostRecord): number => namespaces.get(namespace.name)?.reportedAt ?? 0
  const index = hosts.documentIndexOf(namespace.name)
  for (const uuid of uuids)
    for (const host of index.of(uuid)) {
      const record = hosts.get(host)
      const document = documents.of(record)
      const thing = document === undefined ? undefined : find(document, uuid)
      if (thing === undefined) continue
      const before = known.get(uuid)?.reporter
      const ahead = before === undefined ? 1 : timeOf(record) - timeOf(before)
      if (before === undefined || ahead > 0 || (ahead === 0 && host < before.index)) known.set(uuid, { thing, reporter: record })
    }
  return known
}
