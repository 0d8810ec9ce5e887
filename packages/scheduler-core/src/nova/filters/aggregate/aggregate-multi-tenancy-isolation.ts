import { aggregatesWith, splitValues } from '../../../weighers/aggregate-metadata.ts'
import { novaFilter } from '../../parts/nova-filter.ts'

const KEY = 'filter_tenant_id'

/**
 * Hosts whose aggregates name projects are kept for them. Only the key itself counts, not `filter_tenant_id3`; an empty value names no
 * project, and so excludes all.
 */
export const aggregateMultiTenancyIsolation = novaFilter({
  name: 'AggregateMultiTenancyIsolation',
  description: "The host's aggregates are kept for no project, or for the request's.",
  admits: {
    by: 'property',
    which: ({ projectId: id }) =>
      `open to ${id === null ? 'requests without a project' : `project ${id}`} by filter_tenant_id of their aggregates`,
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
