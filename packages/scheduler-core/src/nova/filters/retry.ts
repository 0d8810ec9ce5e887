import { novaFilter } from '../parts/nova-filter.ts'

/** The node was not tried before for this request. Host and node must both be those that were tried. */
export const retryFilter = novaFilter({
  name: 'RetryFilter',
  description: 'The node was not tried before for this request.',
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
