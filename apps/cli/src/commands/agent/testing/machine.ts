import { createSource, type Offer, readPicture } from '@gantt/agent'
import type { OwnService } from '../../../testing/own-service.ts'

/**
 * The agent's options for what the machine offers to instances: the whole machine except 512 MiB of memory, without overcommit or PCI
 * devices.
 */
export const offer: Offer = {
  nodeName: '',
  hostIp: undefined,
  reserved: { cpus: 0, memoryMb: 512, diskGb: 0 },
  ratios: { cpu: 1, ram: 1, disk: 1 },
  pci: [],
}
/** The machine that the tests run on, as it was when they started. */
export const thisMachine = readPicture(createSource(), { arch: 'x86_64', diskFolder: '/', isContainer: false })

/** A host as the service returns it after reports. */
export interface Seen {
  readonly stats: {
    readonly vcpus: number
    readonly memoryMb: number
    readonly vcpusUsed: number
    readonly omitted: readonly string[]
    readonly numaCells: readonly { readonly id: number; readonly cpuset: readonly number[]; readonly memoryMb: number }[]
  }
  readonly numa: { readonly cells: readonly { readonly id: number; readonly cpus: readonly number[] }[] } | null
}

export const seenBy = async ({ service }: OwnService, name: string): Promise<Seen | null> =>
  (
    await service.client.request<{ host: Seen | null }>(
      'query Seen($name: String!) { host(name: $name) { stats numa { cells { id cpus } } } }',
      { name },
    )
  ).host
