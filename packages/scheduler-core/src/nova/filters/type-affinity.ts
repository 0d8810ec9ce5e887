import { novaFilter } from '../nova-filter.ts'

/** The host is empty or holds instances of the request's flavor only. One whose flavor nobody told is of another. */
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
