import type { Filter } from '../contracts/filter.ts'
import { holdsInstance } from '../hosts/instances.ts'
import { instancesOf } from '../hosts/sources.ts'
import { namedKeys } from '../request/request-reads.ts'
import { fromHint } from '../text/evidence.ts'

/**
 * Passes hosts with at least one of the instances that the scheduler hint `same_host` lists. Like Nova, which evaluates this filter once
 * per request, it ignores instances that are placed by the same request or batch. Use a server group to place such instances together.
 */
export const sameHostFilter: Filter = {
  name: 'SameHostFilter',
  description: 'The host has one of the instances named by the hint same_host.',
  reads: ['instances'],
  readsHostOnly: true,
  readsRequest: { schedulerHints: namedKeys('same_host') },
  prepare({ schedulerHints }, { hosts }) {
    const together = (schedulerHints.same_host ?? []).map((uuid) => uuid.toLowerCase())
    if (together.length === 0) return undefined

    return {
      passes: (host) => together.some((uuid) => holdsInstance(hosts.get(host), uuid)),
      reason: () => ({
        code: 'instance.not_on_host',
        subject: 'same_host',
        need: together.slice(0, 5).join(', '),
        source: 'hint same_host',
      }),
      facts: (host) => [
        {
          subject: 'same_host',
          required: together.slice(0, 5).join(', '),
          requiredFrom: fromHint('same_host'),
          actualFrom: instancesOf(hosts.get(host)),
        },
      ],
    }
  },
}
