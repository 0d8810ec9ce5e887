import { fromHint } from '../evidence.ts'
import { holdsInstance } from '../fleet/instances.ts'
import { instancesOf } from '../fleet/sources.ts'
import { namedKeys } from '../request/request-reads.ts'
import type { Filter } from './filter.ts'

/**
 * The host holds none of the instances that the scheduler hint `different_host` names.
 * Hints name instances that are there: picks of the same request, or of one that is decided in the same batch, do not count (Nova asks
 * such filters once per request). What is to be placed together or apart at once is a server group.
 */
export const differentHostFilter: Filter = {
  name: 'DifferentHostFilter',
  description: 'The host holds none of the instances named by the hint different_host.',
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
