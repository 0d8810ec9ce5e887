import { novaFilter } from '../nova-filter.ts'

/** Every host passes: for profiles that want no filter at all. */
export const allHostsFilter = novaFilter({
  name: 'AllHostsFilter',
  description: 'Every host passes.',
  reads: [],
  oncePerRequest: true,
  prepare: () => undefined,
})
