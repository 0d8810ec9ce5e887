import type { RequestSpec } from '../../request/request-spec.ts'
import { restated } from '../../request/restated.ts'
import { anotherHost } from './another-host.ts'
import type { ProposedChange, Remedy } from './remedy.ts'

/** The request names zones, aggregates or hosts: it may name others, or none. */
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
        const unmet = aggregateListsOf(request).filter(({ list }) => !list.some((uuid) => record.aggregates.includes(uuid)))
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
        return [...anyAggregate(unmet), ...joins]
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
      case 'host.none_common':
        return [...anyHost(request), ...anyAggregate(aggregateListsOf(request))]
      default:
        return anyHost(request)
    }
  },
}

/** A wish of the request that can be given up alone: where it is, what it says, and the request without it. */
export interface Wish {
  readonly path: string
  readonly said: string
  without(request: RequestSpec): RequestSpec
  /** Paths of other wishes that go with it: without it they mean nothing. */
  readonly with?: readonly string[]
}

/** To give up all of some wishes, or fewer of them where that is enough: the last is the first that is kept. */
export function anyOf(
  wishes: readonly Wish[],
  saying: (paths: readonly string[]) => { readonly subject: string; readonly from?: string; readonly to: string },
  effort = 3,
): ProposedChange[] {
  if (wishes.length === 0) return []
  const said = [...new Set(wishes.map((wish) => wish.said))].join(', ')
  const { subject, from = said, to } = saying(wishes.map(({ path }) => path))
  const change = asked(subject, from, to, effort, (one) => wishes.reduce((left, wish) => wish.without(left), one))
  const names = wishes.map(({ path }) => path)
  const of = (some: readonly string[]) =>
    anyOf(
      wishes.filter(({ path }) => some.includes(path)),
      saying,
      effort,
    )[0] ?? change
  return [{ ...change, gives: wishes.flatMap(({ path, with: others = [] }) => [path, ...others]), parts: { names, of } }]
}

/** To give up each of some wishes by itself, for the sake of whichever host that is enough for, or all of them, where one is not enough. */
export const eachOf: typeof anyOf = (wishes, ...saying) =>
  wishes.length < 2 ? anyOf(wishes, ...saying) : [...wishes.flatMap((wish) => anyOf([wish], ...saying)), ...anyOf(wishes, ...saying)]

const withDestination = (request: RequestSpec, parts: Partial<NonNullable<RequestSpec['requestedDestination']>>): RequestSpec =>
  restated(request, { requestedDestination: request.requestedDestination && { ...request.requestedDestination, ...parts } })

interface ListWish extends Wish {
  readonly list: readonly string[]
}

/** Lists of aggregates, of each of which a host is to be in one. */
function aggregateListsOf({ requestedDestination, requestedResources }: RequestSpec): readonly ListWish[] {
  const listed = (path: string, list: readonly string[], without: Wish['without']) => ({ path, list, said: list.join(', '), without })
  return [
    listed('requestedDestination.aggregates', requestedDestination?.aggregates ?? [], (one) => withDestination(one, { aggregates: [] })),
    ...requestedResources.map(({ memberOf }, i) =>
      listed(`requestedResources.${i}.memberOf`, memberOf, (one) =>
        restated(one, { requestedResources: one.requestedResources.map((group, g) => (g === i ? { ...group, memberOf: [] } : group)) }),
      ),
    ),
  ].filter(({ list }) => list.length > 0)
}

/** The aggregates of a host in which the request wants none. */
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

/** Any instead of one of each of these lists; the others stay. */
const anyAggregate = (lists: readonly ListWish[]): ProposedChange[] => eachOf(lists, () => ({ subject: 'aggregates asked for', to: 'any' }))

interface HostWish extends Wish {
  readonly name: string
}

function anyHost({ forceHosts, forceNodes, requestedDestination }: RequestSpec): ProposedChange[] {
  const wishes: readonly HostWish[] = [
    {
      ...{ path: 'forceHosts', name: 'hosts asked for', said: forceHosts.join(', ') },
      without: (one) => restated(one, { forceHosts: [] }),
    },
    {
      ...{ path: 'forceNodes', name: 'nodes asked for', said: forceNodes.join(', ') },
      without: (one) => restated(one, { forceNodes: [] }),
    },
    {
      ...{ path: 'requestedDestination.host', name: 'requested destination', said: requestedDestination?.host ?? '' },
      without: (one) => withDestination(one, { host: null }),
    },
    {
      ...{ path: 'requestedDestination.node', name: 'requested destination', said: requestedDestination?.node ?? '' },
      without: (one) => withDestination(one, { node: null }),
    },
  ]
  const namesOf = (paths: readonly string[]) => wishes.flatMap(({ path, name }) => (paths.includes(path) ? [name] : []))
  return eachOf(
    wishes.filter(({ said }) => said !== ''),
    (paths) => ({ subject: [...new Set(namesOf(paths))].join(' and '), to: 'any' }),
  )
}

/** A change of what is asked. */
export const asked = (
  subject: string,
  from: string | null,
  to: string,
  effort: number,
  request: NonNullable<ProposedChange['request']>,
): ProposedChange => ({ kind: 'REQUEST', subject, from, to, effort, request })
