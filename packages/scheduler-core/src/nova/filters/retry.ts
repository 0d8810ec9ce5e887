import { novaFilter } from '../parts/nova-filter.ts'

/** Refuses nodes that the request lists as tried. An entry of the list has a host name and a node name, and both must match. */
export const retryFilter = novaFilter({
  name: 'RetryFilter',
  description: 'The node has not been tried for this request.',
  admits: {
    by: 'place',
    isExclusion: true,
    which: () => 'other than those tried before',
  },
  reads: [],
  readsRequest: { fields: ['tried'] },
  prepare({ retry }) {
    if (retry == null || retry.hosts.length === 0) return undefined
    return ({ host, node }) =>
      retry.hosts.some((tried) => tried.host === host && tried.node === node)
        ? { code: 'host.tried', subject: 'node', need: 'not tried before', have: `${host}, ${node}`, source: 'retry' }
        : undefined
  },
})
