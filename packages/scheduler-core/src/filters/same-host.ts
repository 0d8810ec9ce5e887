import type { Filter } from '../contracts/filter.ts'
import { holdsInstance } from '../hosts/instances.ts'
import { instancesOf } from '../hosts/sources.ts'
import { namedKeys } from '../request/request-reads.ts'
import { fromHint } from '../text/evidence.ts'

/**
 * Passes hosts with at least one of the instances in the scheduler hint `same_host`. Hints refer to existing instances. Other instances of
 * the same request or batch are ignored, because Nova evaluates such filters once per request. Instances that are placed together should
 * use server groups.
 */
export const sameHostFilter: Filter = {
  name: 'SameHostFilter',
  description: 'The host holds one of the instances named by the hint same_host.',
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
