import { aggregatesWith, splitValues } from '../../../weighers/aggregate-metadata.ts'
import { novaFilter } from '../../parts/nova-filter.ts'

const KEY = 'filter_tenant_id'

/**
 * Hosts whose aggregates list projects are reserved for these projects. The list is the value of the metadata key `filter_tenant_id`. Keys
 * with a suffix, such as `filter_tenant_id3`, are ignored. An empty list refuses every project.
 */
export const aggregateMultiTenancyIsolation = novaFilter({
  name: 'AggregateMultiTenancyIsolation',
  description: "The host's aggregates do not reserve it for projects, or they reserve it for the request's project.",
  admits: {
    by: 'property',
    which: ({ projectId: id }) =>
      `open to ${id === null ? 'requests without a project' : `project ${id}`} by filter_tenant_id of their aggregates`,
  },
  reads: [],
  cachedBy: ['projectId'],
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
