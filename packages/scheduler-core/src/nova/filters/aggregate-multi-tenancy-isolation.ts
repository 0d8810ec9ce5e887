import { aggregatesWith, splitValues } from '../aggregate-metadata.ts'
import { novaFilter } from '../nova-filter.ts'

const KEY = 'filter_tenant_id'

/**
 * Hosts whose aggregates name projects are kept for them. Only the key itself counts, not `filter_tenant_id3`; an empty
 * value names nobody, and so keeps everybody out.
 */
export const aggregateMultiTenancyIsolation = novaFilter({
  name: 'AggregateMultiTenancyIsolation',
  description: "The host's aggregates are kept for no project, or for the request's.",
  admits: {
    by: 'property',
    which: ({ projectId }) => `open to project ${projectId ?? 'none'}`,
  },
  reads: [],
  readsMetadata: [{ key: KEY }],
  oncePerRequest: true,
  prepare:
    ({ projectId }) =>
    (host) => {
      const projects = splitValues(host, KEY)
      if (projects === undefined || (projectId != null && projects.has(projectId))) return undefined
      const source = aggregatesWith(host, KEY)
      return { code: 'aggregate.project', subject: 'project', need: projectId ?? 'none', have: [...projects].join(', '), source }
    },
})
