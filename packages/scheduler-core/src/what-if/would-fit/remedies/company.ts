import { restated } from '../../../contracts/restated.ts'
import { portAffinity } from '../../../namespace/port-affinity.ts'
import type { InstanceGroup, RequestSpec, TopologySpread } from '../../../request/request-spec.ts'
import { groupOf } from '../../../schedulers/filter-scheduler.ts'
import type { Reason } from '../../../text/reason.ts'
import { withoutHints } from '../change-request.ts'
import { anotherHost } from './another-host.ts'
import { waitsOn } from './ending-claims.ts'
import type { ProposedChange, Refusal, Remedy } from './remedy.ts'
import { anyOf, asked, type Wish } from './wishes.ts'

const hints: Readonly<Record<string, readonly string[]>> = {
  'instance.same_host': ['different_host'],
  'instance.not_on_host': ['same_host'],
  'host.other_network': ['build_near_host_ip', 'cidr'],
  'query.no_match': ['query'],
  'volume.unknown': ['near_volume'],
  'volume.far': ['near_volume'],
  'port.unknown': ['near_port'],
  'port.far': ['near_port'],
}

/**
 * For each namespace of another service, the hints that need its documents. The subject of a reason about missing documents is the
 * namespace.
 */
const ofNamespace: Readonly<Record<string, readonly string[]>> = { storage: ['near_volume'], network: ['near_port'] }

/**
 * For requests whose instances must be near other instances, volumes or ports, or apart from other instances, because of a server group,
 * hints or a topology spread: proposes to weaken or drop this requirement, to wait, or to add a host.
 */
export const companyRemedy: Remedy = {
  name: 'company',
  codes: [
    ...([
      'group.affinity',
      'group.anti_affinity',
      'group.apart',
      'group.together',
      'instance.same_host',
      'instance.not_on_host',
      'host.other_network',
      'query.no_match',
    ] as const),
    ...(['namespace.not_reported', 'namespace.stale', 'namespace.not_sent', 'namespace.malformed'] as const),
    ...(['volume.unknown', 'volume.far', 'port.unknown', 'port.far'] as const),
    ...(['topology.no_domain', 'topology.full', 'topology.skew'] as const),
  ],
  propose(refusal) {
    const { fleet, request, host, reason } = refusal
    const unwanted = hints[reason.code] ?? (reason.code.startsWith('namespace.') ? ofNamespace[reason.subject ?? ''] : undefined)
    const record = fleet.hosts.get(host)
    if (unwanted !== undefined)
      return [
        // with the hint different_host, the host can be used once the reservation of the instance that the request must avoid ends
        ...(reason.code === 'instance.same_host' ? waitsOn(fleet.hosts, record, ({ instance }) => instance !== null) : []),
        ...anyOf(
          [
            ...unwanted
              .filter((name) => Object.hasOwn(request.schedulerHints, name))
              .map((name) => ({
                path: `schedulerHints.${name}`,
                said: request.schedulerHints[name]?.join(', ') ?? '',
                without: (one: RequestSpec) => withoutHints(one, [name]),
              })),
            ...nearOwn(request, unwanted),
          ],
          (paths) => ({
            subject: paths.map((path) => (path === NEAR_OWN ? path : `hint ${path.split('.').at(-1)}`)).join(', '),
            to: 'not asked',
          }),
        ),
      ]
    if (reason.code.startsWith('topology.')) {
      // the subject of the reason is the topology key, or begins with the topology key and a space
      const isMeant = ({ topologyKey }: { readonly topologyKey: string }) => `${reason.subject} `.startsWith(`${topologyKey} `)
      return [
        ...(reason.code === 'topology.full' ? waitsOn(fleet.hosts, record, ({ group }) => group === request.instanceGroup?.uuid) : []),
        ...request.topologySpread
          .filter(isMeant)
          .flatMap((spread) => [...laxerLimit(spread, reason, request), withoutLimit(spread, reason)]),
      ]
    }
    const { instanceGroup } = request
    if (instanceGroup === null) return []
    const { uuid, policy } = instanceGroup
    const soft = policy === 'AFFINITY' ? ('SOFT_AFFINITY' as const) : ('SOFT_ANTI_AFFINITY' as const)
    const softened = (one: typeof request) =>
      restated(one, { instanceGroup: one.instanceGroup && { ...one.instanceGroup, policy: soft, maxServerPerHost: null } })
    const binding = groupOf(softened(request))
    // a group with members has a fixed policy, and a claim with another policy would be void
    const canSoften = binding !== null && fleet.groups.accepts(binding)
    if (reason.code === 'group.apart') {
      const other = String(reason.need).split(' ').at(-1) ?? ''
      const named = instanceGroup.apartFrom.includes(other)
      return [
        ...(named
          ? [
              asked(`server group ${uuid}`, `apart from ${other}`, 'not apart from it', 4, (one) =>
                restated(one, {
                  instanceGroup: one.instanceGroup && {
                    ...one.instanceGroup,
                    apartFrom: one.instanceGroup.apartFrom.filter((group) => group !== other),
                  },
                }),
              ),
            ]
          : []),
        asked(`server group ${uuid}`, policy, 'not in it', 5, (one) => restated(one, { instanceGroup: null, topologySpread: [] })),
        anotherHost(fleet.hosts.get(host)),
      ]
    }
    return [
      ...(reason.code === 'group.anti_affinity' ? waitsOn(fleet.hosts, record, ({ group }) => group === uuid) : []),
      ...(reason.code === 'group.anti_affinity' ? morePerHost(refusal, instanceGroup) : []),
      ...(canSoften ? [{ ...asked(`policy of server group ${uuid}`, policy, soft, 4, softened), lastResort: true }] : []),
      {
        ...asked(`server group ${uuid}`, policy, 'not in it', 5, (one) => restated(one, { instanceGroup: null, topologySpread: [] })),
        lastResort: true,
      },
      // one more host would have no members of the group
      ...(reason.code === 'group.anti_affinity' ? [anotherHost(record)] : []),
    ]
  },
}

const limits: Readonly<Record<string, 'maxSkew' | 'maxPerDomain'>> = { 'topology.skew': 'maxSkew', 'topology.full': 'maxPerDomain' }

/** The request field that requires an instance to be near its own volumes and ports. It applies even without hints. */
const NEAR_OWN = 'nearVolumesAndPorts'

function nearOwn(request: RequestSpec, hintsInTheWay: readonly string[]): Wish[] {
  const { volumes, nearVolumesAndPorts } = request
  const ports = portAffinity.own(request)
  const own = [...(hintsInTheWay.includes('near_volume') ? volumes : []), ...(hintsInTheWay.includes('near_port') ? ports : [])]
  if (!nearVolumesAndPorts || own.length === 0) return []
  return [{ path: NEAR_OWN, said: own.join(', '), without: (one) => restated(one, { nearVolumesAndPorts: false }) }]
}

/**
 * Two limits for the count of members: the limit for one more instance, and the limit for all instances of the request. The smallest
 * sufficient limit is between these two.
 */
const enoughFor = ({ have }: Reason, { numInstances }: RequestSpec): readonly number[] => [
  ...new Set([Number(have) + 1, Number(have) + numInstances]),
]

/**
 * Proposes to allow more members of the group on one host, unless the group has members, because the limit of a group with members is
 * fixed.
 */
function morePerHost({ fleet, request, reason }: Refusal, { uuid, maxServerPerHost }: InstanceGroup): ProposedChange[] {
  const now = maxServerPerHost ?? 1
  const withMost = (one: RequestSpec, most: number) =>
    restated(one, { instanceGroup: one.instanceGroup && { ...one.instanceGroup, maxServerPerHost: most } })
  const upTo = (most: number): ProposedChange => ({
    ...asked(`members of server group ${uuid} on one host`, `at most ${now}`, `at most ${most}`, 3.5, (one) => withMost(one, most)),
    lastResort: true,
    gives: ['instanceGroup.policy.maxServerPerHost'],
    number: { from: now, to: most, at: upTo },
  })
  return enoughFor(reason, request).flatMap((most) => {
    const binding = groupOf(withMost(request, most))
    return most > now && binding !== null && fleet.groups.accepts(binding) ? [upTo(most)] : []
  })
}

const saidOf = {
  maxSkew: (most: number) => `at most ${most} more than the fewest`,
  maxPerDomain: (most: number) => `at most ${most} in each`,
} as const

/** Proposes a higher value for the limit of the topology spread for which the host is refused (`maxSkew` or `maxPerDomain`). */
function laxerLimit({ topologyKey, ...limitsNow }: TopologySpread, reason: Reason, request: RequestSpec): ProposedChange[] {
  const limit = limits[reason.code]
  const now = limit && limitsNow[limit]
  if (limit === undefined || now === undefined || now === null) return []
  // for maxSkew, `reason.need` contains the allowed count of members: maxSkew plus the members of the domain with the fewest
  const fewest = limit === 'maxSkew' ? Number(String(reason.need).split(' ').at(-1)) - now : 0
  const upTo = (most: number): ProposedChange => ({
    ...asked(`spread over ${topologyKey}`, saidOf[limit](now), saidOf[limit](most), 3.5, (one) =>
      restated(one, {
        topologySpread: one.topologySpread.map((spread) => (spread.topologyKey === topologyKey ? { ...spread, [limit]: most } : spread)),
      }),
    ),
    gives: [`topologySpread.${topologyKey}.${limit}.number`],
    number: { from: now, to: most, at: upTo },
  })
  return enoughFor(reason, request).map((members) => upTo(members - fewest))
}

/**
 * Proposes to drop the limit of the topology spread for which the host is refused. If it is the only limit, the whole spread is dropped.
 */
function withoutLimit({ topologyKey, ...limitsNow }: TopologySpread, { code }: Reason): ProposedChange {
  const limit = limits[code]
  const keepsOther = limit !== undefined && limitsNow.maxSkew !== null && limitsNow.maxPerDomain !== null
  const now = limit && limitsNow[limit]
  const change = asked(
    `spread over ${topologyKey}`,
    limit === undefined || now === undefined || now === null ? 'asked' : saidOf[limit](now),
    keepsOther ? `without ${limit}` : 'not asked',
    4,
    (one) =>
      restated(one, {
        topologySpread: keepsOther
          ? one.topologySpread.map((spread) => (spread.topologyKey === topologyKey ? { ...spread, [limit]: null } : spread))
          : one.topologySpread.filter((spread) => spread.topologyKey !== topologyKey),
      }),
  )
  return { ...change, gives: [`topologySpread.${topologyKey}${keepsOther ? `.${limit}` : ''}`] }
}
