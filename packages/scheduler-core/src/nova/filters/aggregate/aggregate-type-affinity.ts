import { aggregatesWith, splitValues } from '../../../weighers/aggregate-metadata.ts'
import { novaFilter } from '../../parts/nova-filter.ts'

const KEY = 'instance_type'

/** Hosts whose aggregates list flavors are reserved for these flavors. An empty list refuses every flavor. */
export const aggregateTypeAffinityFilter = novaFilter({
  name: 'AggregateTypeAffinityFilter',
  description: "The host's aggregates do not reserve it for flavors, or they reserve it for the request's flavor.",
  admits: {
    by: 'property',
    which: ({ flavor: { name } }) => `open to ${name === null ? 'flavors without a name' : `flavor ${name}`} by ${KEY} of their aggregates`,
  },
  reads: [],
  cachedBy: ['flavor'],
  readsMetadata: [{ key: KEY }],
  oncePerRequest: true,
  prepare:
    ({ flavor }) =>
    (host) => {
      const flavors = splitValues(host, KEY)
      if (flavors === undefined || flavors.has(flavor.name)) return undefined
      const source = aggregatesWith(host, KEY)
      return { code: 'aggregate.flavor', subject: 'flavor', need: flavor.name, have: [...flavors].join(', '), source }
    },
})
