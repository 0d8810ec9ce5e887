import type { RequestSpec } from '../request/request-spec.ts'
import { PREFERRED_NEAR } from '../values/levels.ts'
import { gpuNearness } from './gpu/near.ts'
import type { Nearness, NearnessOnHost } from './near-cell.ts'
import { pciNearness } from './pci/near.ts'

/** The requirements of a request's devices for the guest's cells. Undefined if there are none. */
export const nearnessOf = (spec: RequestSpec): Nearness | undefined => all([pciNearness(spec), gpuNearness(spec, 'required')])

/** The requirements and the preferences together. Undefined if there are no preferences. */
export function wishedNearnessOf(spec: RequestSpec): Nearness | undefined {
  const devices = preferredDevices(spec)
  const gpus = gpuNearness(spec, 'preferred')
  if (devices === undefined && gpus === undefined) return undefined
  return all([devices ?? pciNearness(spec), gpus ?? gpuNearness(spec, 'required')])
}

/** The preferences of PCI devices for the guest's cells, as requirements. Undefined if there are none. */
function preferredDevices(spec: RequestSpec): Nearness | undefined {
  if (spec.pciRequests.every(({ numaPolicy }) => numaPolicy !== 'preferred')) return undefined
  const pciRequests = spec.pciRequests.map((request) =>
    request.numaPolicy === 'preferred' ? { ...request, numaPolicy: 'required' as const } : request,
  )
  const [near, needed] = [pciNearness({ ...spec, pciRequests }), pciNearness(spec)]
  return (
    near && {
      on: (hosts, ...asked) => (hosts.featureLevel >= PREFERRED_NEAR ? near : needed)?.on(hosts, ...asked) ?? anyCells,
    }
  )
}

const anyCells: NearnessOnHost = { shortOf: () => undefined, allShortOf: () => [], mayStill: () => true, traitOf: () => '', key: '' }

/** Combines the requirements of several kinds of devices. */
function all(given: readonly (Nearness | undefined)[]): Nearness | undefined {
  const kinds = given.filter((one) => one !== undefined)
  const [only] = kinds
  if (kinds.length < 2) return only
  return {
    on(hosts, host, cells) {
      const here = kinds.map((kind) => kind.on(hosts, host, cells))
      return {
        shortOf(chosen) {
          for (const kind of here) {
            const short = kind.shortOf(chosen)
            if (short !== undefined) return short
          }
          return undefined
        },
        allShortOf: (chosen) => here.flatMap((kind) => kind.allShortOf(chosen)),
        mayStill: (chosen, used, more) => here.every((kind) => kind.mayStill(chosen, used, more)),
        traitOf: (cell) => here.map((kind) => kind.traitOf(cell)).join('|'),
        get key() {
          return here.map(({ key }) => key).join('|')
        },
      }
    },
  }
}
