import {
  createRandom,
  defineFilter,
  definePlugin,
  defineScheduler,
  defineWeigher,
  fromHint,
  placeEach,
  prepareFilters,
  prepareGrants,
  reportOf,
  requestAt,
  runFilters,
} from '@gantt/scheduler-core/plugin'

/** Hosts report their rack as a trait: CUSTOM_RACK_R12 is rack R12. */
const PREFIX = 'CUSTOM_RACK_'

/** @param {import('@gantt/scheduler-core/plugin').HostRecord} record */
function rackOf({ traits }) {
  for (const trait of traits) if (trait.startsWith(PREFIX)) return trait.slice(PREFIX.length)
  return undefined
}

/** Passes hosts in one of the racks that the scheduler hint `rack` names. A host that reports no rack does not pass. */
const rackFilter = defineFilter({
  name: 'RackFilter',
  description: 'The host is in one of the racks that the hint rack names.',
  reads: ['traits'],
  readsHostOnly: true,
  prepare({ schedulerHints }, { hosts }) {
    const wanted = (schedulerHints.rack ?? []).map((rack) => rack.toUpperCase())
    if (wanted.length === 0) return undefined

    const need = wanted.slice(0, 5).join(', ')
    return {
      passes: (host) => wanted.includes(rackOf(hosts.get(host)) ?? ''),
      reason: (host) => ({ code: 'filter.refused', subject: 'rack', need, have: rackOf(hosts.get(host)) ?? 'none' }),
      facts: (host) => [
        {
          subject: 'rack',
          required: need,
          actual: rackOf(hosts.get(host)) ?? 'none',
          requiredFrom: fromHint('rack'),
          actualFrom: reportOf(hosts.get(host)),
        },
      ],
    }
  },
})

/** Prefers the rack with the fewest running instances, so that few of them end if a rack loses its power. */
const rackWeigher = defineWeigher({
  name: 'RackWeigher',
  description: 'Prefers hosts of racks with fewer instances.',
  unit: 'instances',
  reads: ['traits', 'runningVms'],
  prepare(_request, { hosts }) {
    /** @type {Map<string | undefined, number>} */
    const instances = new Map()
    for (const record of hosts.records) {
      const rack = rackOf(record)
      instances.set(rack, (instances.get(rack) ?? 0) + (hosts.columns.instances[record.index] ?? 0))
    }
    return (host) => -(instances.get(rackOf(hosts.get(host))) ?? 0)
  },
})

/**
 * Chooses a rack by the seed, and any host of that rack that passes, so that a rack with more hosts does not get more instances. Hosts that
 * report no rack are treated as one rack. Weighers are not used.
 */
const anyRack = defineScheduler({
  name: 'any-rack',
  description: 'Chooses a rack by the seed, and in it a host that passes.',
  create: (compiled) => ({
    select(request, fleet, overlay, { seed, claimIds }) {
      const random = createRandom(seed)
      const placed = placeEach(request.numInstances, false, null, overlay, (instance) => {
        const asked = requestAt(request, instance)
        /** @type {Map<string | undefined, import('@gantt/scheduler-core/plugin').HostIndex[]>} */
        const racks = new Map()
        for (const index of runFilters(prepareFilters(compiled, asked, fleet), fleet).hosts) {
          const host = /** @type {import('@gantt/scheduler-core/plugin').HostIndex} */ (index)
          const rack = rackOf(fleet.hosts.get(host))
          racks.set(rack, [...(racks.get(rack) ?? []), host])
        }
        const hosts = [...racks.values()][random.below(Math.max(1, racks.size))]
        const taken = hosts?.[random.below(hosts.length)]
        if (taken === undefined) return undefined

        const { host, node } = fleet.hosts.get(taken)
        const grants = prepareGrants(compiled, asked, fleet)(taken)
        return { part: { claim: claimIds[instance] ?? '', instance: request.instanceUuids[instance] ?? null, host, node, grants } }
      })
      return { parts: placed.map(({ part }) => part) }
    },
  }),
})

export default definePlugin({
  name: 'rack',
  version: '1.1.0',
  description: 'Chooses among racks, which hosts report as traits CUSTOM_RACK_*.',
  filters: [rackFilter],
  weighers: [rackWeigher],
  schedulers: [anyRack],
})
