/** Hosts, documents and requests for the tests of all rules that read namespaces. */

import type { Filter } from '../../contracts/filter.ts'
import type { Plugins } from '../../contracts/plugins.ts'
import type { Weigher } from '../../contracts/weigher.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { checkPlugin, joinPlugins } from '../../plugin/check-plugin.ts'
import type { Change } from '../../records/change.ts'
import { aDocument, aLog, aReport, aRequest, aUuid } from '../../testing/index.ts'
import { COLLECTOR_STATES } from '../../values/levels.ts'

const folder = new URL('../../../../../examples/', import.meta.url)
const examples = await Promise.all(
  ['plugin-power', 'plugin-rack', 'plugin-template'].map(async (name) => {
    const module: { default: unknown } = await import(new URL(`${name}/index.js`, folder).href)
    const read = checkPlugin(module.default)
    if (!read.ok) throw new Error(`the example ${name} is refused: ${JSON.stringify(read.problems)}`)
    return read.value
  }),
)
const joined = joinPlugins(examples)
if (!joined.ok) throw new Error(`the examples cannot be loaded together: ${JSON.stringify(joined.problems)}`)
/** The plug-ins of `examples`. */
export const plugins: Plugins = joined.value

const [POOL, OTHER, VOLUME, PORT] = [aUuid(1), aUuid(2), aUuid(3), aUuid(4)]
/** The time of all entries. */
export const AT = 1_000
const pool = (totalGib: number, distance: number) => ({ uuid: POOL, name: 'p', distance, totalGib })

/** Documents of each namespace about h1. Each changes the result of a rule that reads the namespace. Undefined: there is no document. */
export const documents: Readonly<Record<string, readonly (object | undefined)[]>> = {
  storage: [
    undefined,
    { pools: [pool(1, 1)] },
    { pools: [pool(500, 1)], volumes: [{ uuid: VOLUME, pool: POOL }] },
    { pools: [pool(500, 4), { uuid: OTHER, name: 'o', distance: 0 }], volumes: [{ uuid: VOLUME, pool: OTHER }] },
  ],
  network: [
    undefined,
    { physicalNetworks: [{ name: 'n', distance: 1 }], ports: [{ uuid: PORT, physicalNetwork: 'n' }] },
    { physicalNetworks: [{ name: 'n', distance: 3 }], ports: [{ uuid: PORT, physicalNetwork: 'm' }] },
  ],
  attestation: [undefined, { level: 'trusted', at: new Date(AT).toISOString() }, { level: 'untrusted', at: new Date(AT).toISOString() }],
  collectors: [
    undefined,
    ...['PAUSED', 'SENDING'].map((state) => ({
      collectors: [{ name: 's', namespace: 'storage', state, since: new Date(AT).toISOString() }],
    })),
  ],
  power: [undefined, { freeWatts: 10 }, { freeWatts: 900 }],
}
/** For each namespace, a document or undefined. */
export type Given = Readonly<Record<string, object | undefined>>

interface Setting {
  readonly level?: number
  /** The documents about h2. None by default. */
  readonly ofH2?: Given
  /** False if the disks of the hosts are not in a pool. */
  readonly isPooled?: boolean
}

/** The hosts h1 and h2, whose disks are in one pool. The documents are about h1. */
export function fleetWith(given: Given, { level = COLLECTOR_STATES, ofH2 = {}, isPooled = true }: Setting = {}): Fleet {
  const log = aLog(new Fleet({ plugins }))
  const shared = { name: 'disks', hosts: ['h1', 'h2'], metadata: { 'gantt:disk_pool': POOL } }
  const shape = { vcpus: 8, memoryMb: 8_192, localGb: 400, hypervisorHostname: 'h1', instances: [] }
  const changes: Change[] = [
    { type: 'feature', level },
    aReport('h1', shape),
    aReport('h2', { ...shape, hypervisorHostname: 'h2' }),
    ...(isPooled ? [{ type: 'aggregate', uuid: aUuid(9), expectedVersion: 0, next: shared } as const] : []),
  ]
  log.append(changes, { at: AT })
  const about = (host: string, its: Given) =>
    Object.entries(its).flatMap(([name, document]) => (document === undefined ? [] : [aDocument(host, name, document)]))
  log.append([...about('h1', given), ...about('h2', ofH2)], { at: AT })
  return log.fleet
}

const flavor = (extraSpecs: Readonly<Record<string, string>> = {}) => ({ vcpus: 1, memoryMb: 512, rootGb: 20, extraSpecs })
export const requests = [
  { flavor: flavor() },
  { flavor: flavor({ 'trust:trusted_host': 'trusted' }) },
  { flavor: flavor(), schedulerHints: { near_volume: [VOLUME] } },
  { flavor: flavor(), schedulerHints: { near_port: [PORT] } },
  { flavor: flavor(), volumes: [VOLUME], ports: [PORT], nearVolumesAndPorts: true },
].map((ask) => aRequest(ask))

/** Options that filters or weighers require. */
const options: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  MetricsFilter: { 'metrics.weight_setting': ['cpu.percent=1.0'] },
  MetricsWeigher: { 'metrics.weight_setting': ['cpu.percent=1.0'] },
  DotProductWeigher: { resources: [{ resourceClass: 'VCPU' }, { resourceClass: 'GPU_MILLI' }] },
}
export const optionsOf = (part: Filter | Weigher): Readonly<Record<string, unknown>> => {
  const given = options[part.name] ?? {}
  return part.parameters === undefined ? given : part.parameters.parse(given)
}
