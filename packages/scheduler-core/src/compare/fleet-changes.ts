import { viewsOf } from '../audit/views.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { classValue } from '../hosts/classes/sparse-columns.ts'
import type { Column } from '../hosts/column-memory.ts'
import { at } from '../hosts/columns.ts'
import type { HostRecord } from '../hosts/hosts.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { SLICE, type Steps } from '../values/steps.ts'

/** Counts the hosts that differ between two fleets, in total and for each field. */
export interface FleetChanges {
  /** Count of the hosts that differ in data that decisions read. Hosts that are in only one of the fleets are included. */
  readonly hosts: number
  /** The fields that differ, each with the count of hosts in which it differs, highest count first. */
  readonly fields: readonly { readonly field: string; readonly hosts: number }[]
}

/**
 * Compares two states of the same log host by host. Only data that decisions read is compared. Resources that an open overlay reserves are
 * included. A host has the same index in both states. `group` is the server group of the request. Its members are also compared.
 */
export function* fleetChanges(before: Fleet, after: Fleet, group: string | null): Steps<FleetChanges> {
  const fields = new Map<string, number>()
  const [less, more] = [before.hosts.count, after.hosts.count].sort((a, b) => a - b) as [number, number]
  const compared = [...columnsOf(before, after), ...wordsOf(before, after, group)]
  let hosts = more - less
  if (hosts > 0) fields.set('present', hosts)
  for (let host = 0; host < less; host++) {
    if (host > 0 && host % SLICE === 0) yield
    let isChanged = false
    for (const { field, differs } of compared) {
      if (!differs(host as HostIndex)) continue
      isChanged = true
      fields.set(field, (fields.get(field) ?? 0) + 1)
    }
    if (isChanged) hosts++
  }
  return { hosts, fields: [...fields].map(([field, count]) => ({ field, hosts: count })).sort((a, b) => b.hosts - a.hosts) }
}

interface Compared {
  readonly field: string
  differs(host: HostIndex): boolean
}

const hostColumns = ['gone', 'status', 'liveness', 'instances', 'ioOps', 'gpuFreeMilli'] as const
/** The columns that are compared. `free` can be computed from other columns, but readers of a comparison look for it. */
const classColumns = ['capacity', 'free', 'minUnit', 'maxUnit', 'stepSize', 'reported'] as const

function columnsOf(before: Fleet, after: Fleet): Compared[] {
  const own = hostColumns.map((name) => pair(name, before.hosts.columns[name], after.hosts.columns[name]))
  const names = new Set([...before.hosts.classes.keys(), ...after.hosts.classes.keys()])
  const ofClasses = [...names].flatMap((name) =>
    classColumns.map((column) => ({
      field: `${name}.${column}`,
      differs: (host: HostIndex) =>
        classValue(before.hosts.classes.get(name), column, host) !== classValue(after.hosts.classes.get(name), column, host),
    })),
  )
  return [...own, ...ofClasses]
}

const pair = (field: string, before: Column, after: Column): Compared => ({
  field,
  differs: (host) => at(before, host) !== at(after, host),
})

/** Compares, as text, the state that is not in numeric columns. */
function wordsOf(before: Fleet, after: Fleet, group: string | null): Compared[] {
  const words = (field: string, read: (fleet: Fleet, record: HostRecord) => string): Compared => ({
    field,
    differs: (host) => read(before, before.hosts.get(host)) !== read(after, after.hosts.get(host)),
  })
  return [
    words('zone', (_fleet, { zone }) => zone),
    words('aggregates', ({ aggregates }, record) =>
      record.aggregates.map((uuid) => `${uuid}@${aggregates.byUuid.get(uuid)?.version}`).join(' '),
    ),
    words('traits', (_fleet, { traits }) => [...traits].sort().join(' ')),
    words('cells', (_fleet, { cells }) => (cells.length === 0 ? '' : canonicalJson(cells.map(cellView)))),
    words('gpus', (_fleet, { gpus }) => (gpus.length === 0 ? '' : canonicalJson(gpus))),
    words('devices', ({ hosts }, record) => canonicalJson(viewsOf(hosts, record))),
    words('group members', ({ groups }, { index }) => String((group === null ? undefined : groups.find(group)?.members.get(index)) ?? 0)),
    words('namespaces', (_fleet, { reporters }) =>
      reporters.size < 2 ? '' : [...reporters].map(([name, { incarnation, sequence }]) => `${name} ${incarnation} ${sequence}`).join(' '),
    ),
    {
      field: 'properties',
      differs: (host) => {
        const [a, b] = [before.hosts.get(host).stats, after.hosts.get(host).stats]
        // If both fleets have the same report object, no comparison is needed.
        return a !== b && propertiesOf(a) !== propertiesOf(b)
      },
    },
  ]
}

const cellView = ({ pinnedByReport, pinnedByClaims, ...cell }: HostRecord['cells'][number]) => ({
  ...cell,
  pinned: [...pinnedByReport, ...pinnedByClaims.keys()].sort((a, b) => a - b),
})

/** The properties of the machine in a report. Amounts, cells and devices are compared separately. */
function propertiesOf(stats: HostRecord['stats']): string {
  const { hypervisorType, hypervisorVersion, hypervisorHostname, hostIp, supportedInstances, cpuInfo, metrics, nova } = stats
  return canonicalJson([hypervisorType, hypervisorVersion, hypervisorHostname, hostIp, supportedInstances, cpuInfo, metrics, nova])
}
