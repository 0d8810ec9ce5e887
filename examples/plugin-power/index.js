import { defineFilter, defineNamespace, definePlugin, defineWeigher, fromOption, namespaceSource, z } from '@gantt/scheduler-core/plugin'

/** What a power service reports of each host. */
const power = defineNamespace({
  name: 'power',
  description: 'What the feed of the rack of a host has left, as the power service reports.',
  version: '1.0',
  document: z.strictObject({
    freeWatts: z.int().min(0).max(1_000_000).describe('What the feed can still give.'),
    feed: z.string().max(64).optional().describe('For people: which feed.'),
  }),
  maxAgeSeconds: 300,
  units: { freeWatts: 'W' },
})

/** @param {import('@gantt/scheduler-core/plugin').HostRecord} record of a host with a document: of the others the service asks nothing */
const freeWatts = ({ namespaces }) => Number(Object(namespaces.get(power.name)?.document).freeWatts)

const wattsFilter = defineFilter({
  name: 'WattsFilter',
  description: 'The feed of the host has the power left that the option watts names.',
  reads: ['power.freeWatts'],
  readsHostOnly: true,
  parameters: z.strictObject({
    watts: z.int().min(1).max(1_000_000).default(500).describe('What an instance may draw, W.'),
    maxAgeSeconds: z.int().min(1).max(86_400).default(power.maxAgeSeconds).describe('Older documents do not count.'),
  }),
  prepare: (_request, { hosts }, { watts }) => ({
    passes: (host) => freeWatts(hosts.get(host)) >= watts,
    reason: (host) => ({ code: 'filter.refused', subject: 'power', need: watts, have: freeWatts(hosts.get(host)), unit: 'W' }),
    facts: (host) => [
      {
        subject: 'power',
        required: watts,
        actual: freeWatts(hosts.get(host)),
        unit: 'W',
        requiredFrom: fromOption('watts'),
        actualFrom: namespaceSource(power.name, hosts.get(host)),
      },
    ],
  }),
})

const wattsWeigher = defineWeigher({
  name: 'WattsWeigher',
  description: 'Prefers hosts whose feed has more power left.',
  unit: 'W',
  reads: ['power.freeWatts'],
  readsHostOnly: true,
  prepare:
    (_request, { hosts }) =>
    (host) =>
      freeWatts(hosts.get(host)),
})

export default definePlugin({
  name: 'power',
  version: '1.0.0',
  description: 'Places by what the feeds of racks have left, as a power service reports.',
  namespaces: [power],
  filters: [wattsFilter],
  weighers: [wattsWeigher],
})
