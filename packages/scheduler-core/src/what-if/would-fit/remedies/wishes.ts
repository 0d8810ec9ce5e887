import { restated } from '../../../contracts/restated.ts'
import type { HostRecord } from '../../../hosts/hosts.ts'
import type { RequestSpec } from '../../../request/request-spec.ts'
import { anotherHost } from './another-host.ts'
import type { ProposedChange, Remedy } from './remedy.ts'

/** For requests that require or exclude zones, aggregates or hosts by name: proposes to drop or change these requirements. */
export const wishesRemedy: Remedy = {
  name: 'wishes',
  codes: ['zone.other', 'aggregate.not_member', 'host.excluded', 'host.not_requested', 'host.none_common'],
  propose({ fleet, request, host, reason }) {
    const record = fleet.hosts.get(host)
    switch (reason.code) {
      case 'zone.other':
        return [
          {
            ...asked('availability zone', request.availabilityZone, 'any', 2, (one) => restated(one, { availabilityZone: null })),
            gives: ['availabilityZone'],
          },
          {
            ...asked('availability zone', request.availabilityZone, record.zone, 2.5, (one) =>
              restated(one, { availabilityZone: record.zone }),
            ),
            gives: ['availabilityZone'],
          },
        ]
      case 'aggregate.not_member': {
        const unmet = unmetLists(request, record)
        const missing = unmet.map(({ list: [uuid] }) => fleet.aggregates.byUuid.get(uuid ?? ''))
        const joins: ProposedChange[] = missing.includes(undefined)
          ? []
          : [
              {
                kind: 'FLEET',
                subject: `aggregates of ${record.host}`,
                from: null,
                to: `joins ${missing.map((one) => one?.name).join(', ')}`,
                effort: 4,
                lastResort: true,
                edits: {
                  aggregateChanges: [...new Set(missing)].flatMap((one) =>
                    one === undefined
                      ? []
                      : [{ aggregate: one.uuid, addHosts: [record.host], removeHosts: [], setMetadata: {}, unsetMetadata: [] }],
                  ),
                },
              },
            ]
        return [...givenUp(unmet), ...joins]
      }
      case 'host.excluded':
        if (reason.subject === 'forbiddenAggregates')
          return anyOf(forbiddenAggregates(request, record.aggregates), (names) => ({
            subject: names.length === 1 ? 'forbidden aggregate' : 'forbidden aggregates',
            to: 'not forbidden',
          }))
        return request.ignoreHosts.includes(record.host)
          ? [
              asked('hosts to ignore', request.ignoreHosts.slice(0, 5).join(', '), `not ${record.host}`, 2, (one) =>
                restated(one, { ignoreHosts: one.ignoreHosts.filter((name) => name !== record.host) }),
              ),
              anotherHost(record),
            ]
          : []
      default:
        return givenUp(unmetWishes(request, record))
    }
  },
  looksAt({ fleet, request, host, reason }) {
    const record = fleet.hosts.get(host)
    const paths = [...unmetWishes(request, record), ...forbiddenAggregates(request, record.aggregates)]
    const ignored = request.ignoreHosts.includes(record.host) ? [record.host] : []
    return [...paths.map(({ path }) => path), ...ignored, ...(reason.code === 'zone.other' ? [record.zone] : [])].join(' ')
  },
}

/** The lists of required aggregates in the request that contain no aggregate of the host. */
const unmetLists = (request: RequestSpec, { aggregates }: HostRecord): readonly ListWish[] =>
  aggregateListsOf(request).filter(({ list }) => !list.some((uuid) => aggregates.includes(uuid)))

/**
 * The requirements on hosts or aggregates that this host does not meet. If the host has the requested names and aggregates but a filter
 * still refuses it, the filter interprets names differently. All requirements on hosts are then returned.
 */
function unmetWishes(request: RequestSpec, record: HostRecord): readonly NamedWish[] {
  const { host, node } = record
  const wishes = hostWishes(request)
  const unmet = [...wishes.filter(({ names }) => !names.includes(host) && !names.includes(node)), ...unmetLists(request, record)]
  return unmet.length > 0 ? unmet : wishes
}

/** Proposes to drop all of these requirements, or fewer if that suffices. The effort grows with the count of requirements. */
const givenUp = (wishes: readonly NamedWish[]): ProposedChange[] =>
  anyOf(
    wishes,
    (paths) => ({
      subject: [...new Set(wishes.flatMap(({ path, name }) => (paths.includes(path) ? [name] : [])))].join(' and '),
      to: 'any',
    }),
    ({ length }) => Math.min(10, 4 * length - 1),
  )

/** A requirement of the request that can be dropped separately: its path, its value as text, and a function that drops it. */
export interface Wish {
  readonly path: string
  readonly said: string
  without(request: RequestSpec): RequestSpec
  /** The paths of requirements that are dropped together with this requirement, because they have no meaning without it. */
  readonly with?: readonly string[]
}

/**
 * Proposes to drop all of these requirements. Each requirement is a part of the change, so the search drops fewer if that suffices. The
 * search first tries to keep the last requirement.
 */
export function anyOf<Some extends Wish>(
  wishes: readonly Some[],
  saying: (paths: readonly string[]) => { readonly subject: string; readonly from?: string; readonly to: string },
  effort: number | ((paths: readonly string[]) => number) = 3,
): ProposedChange[] {
  if (wishes.length === 0) return []
  const text = [...new Set(wishes.map((wish) => wish.said))].join(', ')
  const names = wishes.map(({ path }) => path)
  const { subject, from = text, to } = saying(names)
  const change = asked(subject, from, to, typeof effort === 'number' ? effort : effort(names), (one) =>
    wishes.reduce((left, wish) => wish.without(left), one),
  )
  const of = (some: readonly string[]) =>
    anyOf(
      wishes.filter(({ path }) => some.includes(path)),
      saying,
      effort,
    )[0] ?? change
  return [{ ...change, gives: wishes.flatMap(({ path, with: others = [] }) => [path, ...others]), parts: { names, of } }]
}

/** Proposes to drop each requirement separately, and to drop all of them together. */
export const eachOf: typeof anyOf = (wishes, ...saying) =>
  wishes.length < 2 ? anyOf(wishes, ...saying) : [...wishes.flatMap((wish) => anyOf([wish], ...saying)), ...anyOf(wishes, ...saying)]

const withDestination = (request: RequestSpec, parts: Partial<NonNullable<RequestSpec['requestedDestination']>>): RequestSpec =>
  restated(request, { requestedDestination: request.requestedDestination && { ...request.requestedDestination, ...parts } })

interface NamedWish extends Wish {
  readonly name: string
}

interface ListWish extends NamedWish {
  readonly list: readonly string[]
}

/** The lists of required aggregates in a request. A host must be in at least one aggregate of each list. */
function aggregateListsOf({ requestedDestination, requestedResources }: RequestSpec): readonly ListWish[] {
  const listed = (path: string, list: readonly string[], without: Wish['without']) => ({
    ...{ path, list, name: 'aggregates asked for', said: list.join(', ') },
    without,
  })
  return [
    listed('requestedDestination.aggregates', requestedDestination?.aggregates ?? [], (one) => withDestination(one, { aggregates: [] })),
    ...requestedResources.map(({ memberOf }, i) =>
      listed(`requestedResources.${i}.memberOf`, memberOf, (one) =>
        restated(one, { requestedResources: one.requestedResources.map((group, g) => (g === i ? { ...group, memberOf: [] } : group)) }),
      ),
    ),
  ].filter(({ list }) => list.length > 0)
}

/** The aggregates in `own` that the request forbids. */
const forbiddenAggregates = ({ requestedDestination }: RequestSpec, own: readonly string[]): Wish[] =>
  (requestedDestination?.forbiddenAggregates ?? [])
    .filter((uuid) => own.includes(uuid))
    .map((uuid) => ({
      path: `requestedDestination.forbiddenAggregates.${uuid}`,
      said: uuid,
      without: (one) =>
        withDestination(one, {
          forbiddenAggregates: one.requestedDestination?.forbiddenAggregates.filter((other) => other !== uuid) ?? [],
        }),
    }))

interface HostWish extends NamedWish {
  readonly names: readonly string[]
}

function hostWishes({ forceHosts, forceNodes, requestedDestination }: RequestSpec): readonly HostWish[] {
  const { host, node } = requestedDestination ?? { host: null, node: null }
  const wishes: readonly Omit<HostWish, 'said'>[] = [
    { path: 'forceHosts', name: 'hosts asked for', names: forceHosts, without: (one) => restated(one, { forceHosts: [] }) },
    { path: 'forceNodes', name: 'nodes asked for', names: forceNodes, without: (one) => restated(one, { forceNodes: [] }) },
    {
      ...{ path: 'requestedDestination.host', name: 'requested destination', names: host ? [host] : [] },
      without: (one) => withDestination(one, { host: null }),
    },
    {
      ...{ path: 'requestedDestination.node', name: 'requested destination', names: node ? [node] : [] },
      without: (one) => withDestination(one, { node: null }),
    },
  ]
  return wishes.filter(({ names }) => names.length > 0).map((wish) => ({ ...wish, said: wish.names.join(', ') }))
}

/** Creates a change of the request. */
export const asked = (
  subject: string,
  from: string | null,
  to: string,
  effort: number,
  request: NonNullable<ProposedChange['request']>,
): ProposedChange => ({ kind: 'REQUEST', subject, from, to, effort, request })
