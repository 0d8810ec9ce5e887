import { at, defineFilter, definePlugin, defineWeigher, fromOption, reportOf, z } from '@gantt/scheduler-core/plugin'

const roomyFilter = defineFilter({
  name: 'RoomyFilter',
  description: 'The host runs fewer instances than the option mostInstances allows.',
  reads: ['runningVms'],
  readsHostOnly: true,
  parameters: z.strictObject({
    mostInstances: z.int().min(1).max(10_000).default(50).describe('A host with this many instances takes no more.'),
  }),
  prepare(_request, { hosts }, { mostInstances }) {
    const running = hosts.columns.instances
    return {
      passes: (host) => at(running, host) < mostInstances,
      reason: (host) => ({
        code: 'instances.too_many',
        need: `fewer than ${mostInstances}`,
        have: at(running, host),
        unit: 'instances',
      }),
      facts: (host) => [
        {
          subject: 'instances',
          required: `fewer than ${mostInstances}`,
          actual: at(running, host),
          unit: 'instances',
          requiredFrom: fromOption('mostInstances'),
          actualFrom: reportOf(hosts.get(host)),
        },
      ],
    }
  },
})

const roomyWeigher = defineWeigher({
  name: 'RoomyWeigher',
  description: 'Prefers hosts with fewer instances.',
  unit: 'instances',
  reads: ['runningVms'],
  readsHostOnly: true,
  prepare(_request, { hosts }) {
    const running = hosts.columns.instances
    return (host) => -at(running, host)
  },
})

export default definePlugin({
  name: 'template',
  version: '1.0.0',
  description: 'Spreads instances by how many run on each host.',
  filters: [roomyFilter],
  weighers: [roomyWeigher],
})
