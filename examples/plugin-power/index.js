import { defineFilter, defineNamespace, definePlugin, defineWeigher, fromOption, namespaceSource, z } from '@gantt/scheduler-core/plugin'

/** The namespace of the documents that a power service reports about hosts. */
const power = defineNamespace({
  name: 'power',
  description: "The power left on the feed of the host's rack, as the power service reports it.",
  version: '1.0',
  document: z.strictObject({
    freeWatts: z.int().min(0).max(1_000_000).describe('The power that the feed can still give, in watts.'),
    feed: z.string().max(64).optional().describe('The name of the feed, which is only displayed.'),
  }),
  maxAgeSeconds: 300,
  units: { freeWatts: 'W' },
})

/** @param {import('@gantt/scheduler-core/plugin').HostRecord} record of a host with a document; filters and weighers see no other hosts */
const freeWatts = ({ namespaces }) => Number(Object(namespaces.get(power.name)?.document).freeWatts)

const wattsFilter = defineFilter({
  name: 'WattsFilter',
  description: 'The feed of the host has at least the power left that the option watts states.',
  reads: ['power.freeWatts'],
  readsHostOnly: true,
  parameters: z.strictObject({
    watts: z.int().min(1).max(1_000_000).default(500).describe('The power that an instance may draw, in watts.'),
    maxAgeSeconds: z
      .int()
      .min(1)
      .max(86_400)
      .default(power.maxAgeSeconds)
      .describe('The maximum age of a document in seconds. A host with an older document does not pass.'),
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
  description: 'Places instances by the power that the feeds of racks have left, as a power service reports it.',
  namespaces: [power],
  filters: [wattsFilter],
  weighers: [wattsWeigher],
})
