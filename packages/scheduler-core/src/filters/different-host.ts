import type { Filter } from '../contracts/filter.ts'
import { holdsInstance } from '../hosts/instances.ts'
import { instancesOf } from '../hosts/sources.ts'
import { namedKeys } from '../request/request-reads.ts'
import { fromHint } from '../text/evidence.ts'

/**
 * Passes hosts with none of the instances that the scheduler hint `different_host` lists. Like Nova, which evaluates this filter once per
 * request, it ignores instances that are placed by the same request or batch. Use a server group to keep such instances apart.
 */
export const differentHostFilter: Filter = {
  name: 'DifferentHostFilter',
  description: 'The host has none of the instances named by the hint different_host.',
  reads: ['instances'],
  readsHostOnly: true,
  readsRequest: { schedulerHints: namedKeys('different_host') },
  prepare({ schedulerHints }, { hosts }) {
    const apart = (schedulerHints.different_host ?? []).map((uuid) => uuid.toLowerCase())
    if (apart.length === 0) return undefined

    const found = (host: Parameters<typeof hosts.get>[0]) => apart.find((uuid) => holdsInstance(hosts.get(host), uuid))
    return {
      passes: (host) => found(host) === undefined,
      reason: (host) => ({ code: 'instance.same_host', subject: 'different_host', have: found(host) ?? '', source: 'hint different_host' }),
      facts: (host) =>
        apart
          .filter((uuid) => holdsInstance(hosts.get(host), uuid))
          .map((uuid) => ({
            subject: 'different_host',
            actual: uuid,
            requiredFrom: fromHint('different_host'),
            actualFrom: instancesOf(hosts.get(host)),
          })),
    }
  },
}
