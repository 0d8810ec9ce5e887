import { defineFilter, definePlugin, defineWeigher, fromHint, reportOf } from '@gantt/scheduler-core/plugin'

/** Hosts report the rack that they stand in as a trait: CUSTOM_RACK_R12 is rack R12. */
const PREFIX = 'CUSTOM_RACK_'

/** @param {import('@gantt/scheduler-core/plugin').HostRecord} record */
function rackOf({ traits }) {
  for (const trait of traits) if (trait.startsWith(PREFIX)) return trait.slice(PREFIX.length)
  return undefined
}

/** The host stands in one of the racks that the scheduler hint `rack` names; a host that tells no rack stands in none. */
const rackFilter = defineFilter({
  name: 'RackFilter',
  description: 'The host stands in one of the racks named by the hint rack.',
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

/** Prefers the rack in which the fewest instances run, so that a rack that loses its power takes few of them along. */
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

export default definePlugin({
  name: 'rack',
  version: '1.0.0',
  description: 'Chooses among racks, which hosts report as traits CUSTOM_RACK_*.',
  filters: [rackFilter],
  weighers: [rackWeigher],
})
