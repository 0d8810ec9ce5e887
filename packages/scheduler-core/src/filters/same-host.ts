import { fromHint } from '../evidence.ts'
import { holdsInstance } from '../fleet/instances.ts'
import { instancesOf } from '../fleet/sources.ts'
import { namedKeys } from '../request/request-reads.ts'
import type { Filter } from './filter.ts'

/**
 * The host holds at least one of the instances that the scheduler hint `same_host` names.
 * Hints name instances that are there: picks of the same request, or of one that is decided in the same batch, do not count (Nova asks
 * such filters once per request). What is to be placed together or apart at once is a server group.
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
