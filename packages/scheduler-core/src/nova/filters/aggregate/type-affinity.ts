import { novaFilter } from '../../parts/nova-filter.ts'

/**
 * Passes a host that is empty or has only instances of the request's flavor. An instance with an unknown flavor is treated as an instance
 * of a different flavor.
 */
export const typeAffinityFilter = novaFilter({
  name: 'TypeAffinityFilter',
  description: "The host is empty or has only instances of the request's flavor.",
  reads: ['instances'],
  cachedBy: ['flavor'],
  prepare({ flavor: { flavorid, name } }) {
    const need = flavorid ?? name
    return ({ instances, instanceFlavors }) => {
      for (const uuid of instances) {
        const have = instanceFlavors?.get(uuid)
        if (have !== need) return { code: 'flavor.other', subject: `instance ${uuid}`, need, have: have ?? 'unknown', source: 'flavor' }
      }
      return undefined
    }
  },
})
