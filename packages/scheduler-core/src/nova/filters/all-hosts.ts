import { novaFilter } from '../parts/nova-filter.ts'

/** Passes every host, for profiles without filters. */
export const allHostsFilter = novaFilter({
  name: 'AllHostsFilter',
  description: 'Every host passes.',
  reads: [],
  oncePerRequest: true,
  prepare: () => undefined,
})
