import type { RequestSpec } from '../../request/request-spec.ts'
import { restated } from '../change-request.ts'
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
          asked('availability zone', request.availabilityZone, 'any', 2, (one) => restated(one, { availabilityZone: null })),
          asked('availability zone', request.availabilityZone, record.zone, 2.5, (one) => restated(one, { availabilityZone: record.zone })),
        ]
      case 'aggregate.not_member': {
        const unmet = aggregateListsOf(request).filter((list) => list.length > 0 && !list.some((uuid) => record.aggregates.includes(uuid)))
        const missing = unmet.map(([uuid]) => fleet.aggregates.byUuid.get(uuid ?? ''))
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
        return [anyAggregate(unmet), ...joins]
      }
      case 'host.excluded':
        if (reason.subject === 'forbiddenAggregates')
          return [
            asked('forbidden aggregates', request.requestedDestination?.forbiddenAggregates.join(', ') ?? null, 'none', 3, (one) =>
              restated(one, { requestedDestination: one.requestedDestination && { ...one.requestedDestination, forbiddenAggregates: [] } }),
            ),
          ]
        return request.ignoreHosts.includes(record.host)
          ? [
              asked('hosts to ignore', request.ignoreHosts.slice(0, 5).join(', '), `not ${record.host}`, 2, (one) =>
                restated(one, { ignoreHosts: one.ignoreHosts.filter((name) => name !== record.host) }),
              ),
              anotherHost(record),
            ]
          : []
      case 'host.none_common':
        return [anyHost(namesOf(request)), anyAggregate(aggregateListsOf(request))].filter(({ from }) => from !== '')
      default:
        return [anyHost(String(reason.need ?? ''))]
    }
  },
}

const aggregateListsOf = ({ requestedDestination, requestedResources }: RequestSpec): readonly (readonly string[])[] => [
  requestedDestination?.aggregates ?? [],
  ...requestedResources.map(({ memberOf }) => memberOf),
]

const namesOf = ({ forceHosts, forceNodes, requestedDestination }: RequestSpec): string =>
  [...forceHosts, ...forceNodes, requestedDestination?.host, requestedDestination?.node].filter(Boolean).join(', ')

/** Any instead of one of each of these lists; the others stay. */
function anyAggregate(lists: readonly (readonly string[])[]): ProposedChange {
  const names = new Set(lists.map((list) => list.join()))
  const left = (list: readonly string[]): string[] => (names.has(list.join()) ? [] : [...list])
  return asked('aggregates asked for', lists.flat().join(', '), 'any', 3, (one) =>
    restated(one, {
      requestedDestination: one.requestedDestination && {
        ...one.requestedDestination,
        aggregates: left(one.requestedDestination.aggregates),
      },
      requestedResources: one.requestedResources.map((group) => ({ ...group, memberOf: left(group.memberOf) })),
    }),
  )
}

const anyHost = (names: string): ProposedChange =>
  asked('hosts asked for', names, 'any', 3, (one) =>
    restated(one, {
      forceHosts: [],
      forceNodes: [],
      requestedDestination: one.requestedDestination && { ...one.requestedDestination, host: null, node: null },
    }),
  )

/** A change of what is asked. */
export const asked = (
  subject: string,
  from: string | null,
  to: string,
  effort: number,
  request: NonNullable<ProposedChange['request']>,
): ProposedChange => ({ kind: 'REQUEST', subject, from, to, effort, request })
