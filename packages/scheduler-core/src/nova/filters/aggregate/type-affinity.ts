import { novaFilter } from '../../parts/nova-filter.ts'

/**
 * The host is empty or holds only instances of the request's flavor. An instance whose flavor was not reported counts as one of another
 * flavor.
 */
export const typeAffinityFilter = novaFilter({
  name: 'TypeAffinityFilter',
  description: "The host holds instances of the request's flavor only.",
  reads: ['instances'],
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
