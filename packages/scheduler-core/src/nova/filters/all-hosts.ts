import { novaFilter } from '../parts/nova-filter.ts'

/** Passes every host. A configuration that needs no filter can use it. */
export const allHostsFilter = novaFilter({
  name: 'AllHostsFilter',
  description: 'Every host passes.',
  reads: [],
  oncePerRequest: true,
  prepare: () => undefined,
})
