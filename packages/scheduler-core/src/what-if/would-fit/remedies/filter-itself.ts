import { builtIn } from '../../../contracts/built-in.ts'
import { keysReadBy } from '../../../pipeline/unread.ts'
import { withoutExtraSpecs, withoutHints } from '../change-request.ts'
import { waitsOn } from './ending-claims.ts'
import type { ProposedChange, Refusal, Remedy } from './remedy.ts'
import { imageWishes } from './specs.ts'
import { asked, eachOf, type Wish } from './wishes.ts'

/**
 * For filters that enforce decisions of operators, and for filters that fail. Proposes to drop what the filter reads in the request, if the
 * filter failed or if the host was tried before. Proposes to remove the filter from the profile, as a last resort. Proposes nothing
 * for a host that refused an earlier instance, because the host passes the filters of the profile.
 */
export const filterItselfRemedy: Remedy = {
  name: 'filter-itself',
  codes: [
    'io_ops.too_many',
    'instances.too_many',
    'flavor.other',
    'host.tried',
    'aggregate.flavor',
    'metric.missing',
    'filter.refused',
    'outside.no_answer',
    'outside.bad_answer',
    'outside.failed',
    'filter.error',
    'host.not_reported',
    'host.refused_earlier',
  ],
  propose(refusal) {
    const { fleet, host, reason, profile, filter } = refusal
    const changes = [...(reason.code === 'filter.error' ? withoutFaults(refusal) : []), ...(reason.code === 'host.tried' ? [untried] : [])]
    if (!profile.filters.some(({ name }) => name === filter)) return changes
    return [
      ...changes,
      ...(reason.code === 'instances.too_many' ? waitsOn(fleet.hosts, fleet.hosts.get(host), () => true) : []),
      {
        kind: 'POLICY',
        subject: `filter ${filter} of profile ${profile.name}`,
        from: 'asked',
        to: 'left out',
        effort: 9,
        lastResort: true,
        filters: (filters) => filters.filter(({ name }) => name !== filter),
      },
    ]
  },
}

const untried: ProposedChange = asked('hosts that were tried', null, 'left out', 2, (one) => builtIn().documents.withoutTried(one))

/** Proposes to drop the hints, extra specs and image properties that a failing filter reads, because one of them can be the reason. */
function withoutFaults({ fleet, request, profile, filter }: Refusal): ProposedChange[] {
  const { extraSpecs, schedulerHints, imageProperties } = keysReadBy(request, profile, filter, fleet)
  const named: readonly (Wish & { readonly name: string })[] = [
    ...schedulerHints.map((key) => ({
      ...{ path: `schedulerHints.${key}`, name: `hint ${key}`, said: request.schedulerHints[key]?.join(', ') ?? '' },
      without: (one: Refusal['request']) => withoutHints(one, [key]),
    })),
    ...extraSpecs.map((key) => ({
      ...{ path: `flavor.extraSpecs.${key}`, name: `extra spec ${key}`, said: request.flavor.extraSpecs[key] ?? '' },
      without: (one: Refusal['request']) => withoutExtraSpecs(one, (other) => other === key),
    })),
    ...imageWishes(request, imageProperties).map((wish) => ({ ...wish, name: `image ${wish.path.split('.').at(-1)}` })),
  ]
  const namesOf = (paths: readonly string[]) => named.flatMap(({ path, name }) => (paths.includes(path) ? [name] : []))
  return eachOf(named, (paths) => ({ subject: namesOf(paths).join(', '), to: 'left out' }))
}
