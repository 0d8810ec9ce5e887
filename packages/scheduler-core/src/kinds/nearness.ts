import type { RequestSpec } from '../request/request-spec.ts'
import { PREFERRED_NEAR } from '../values/levels.ts'
import { gpuNearness } from './gpu/near.ts'
import type { Nearness, NearnessOnHost } from './near-cell.ts'
import { pciNearness } from './pci/near.ts'

/** The requirement that a request's devices are near the guest's NUMA cells. Undefined if the request has no such requirement. */
export const nearnessOf = (spec: RequestSpec): Nearness | undefined => all([pciNearness(spec), gpuNearness(spec, 'required')])

/**
 * The requirement and all preferences for devices near the NUMA cells of the guest, combined into one requirement. Undefined if the request
 * has no such preferences.
 */
export function wishedNearnessOf(spec: RequestSpec): Nearness | undefined {
  const devices = preferredDevices(spec)
  const gpus = gpuNearness(spec, 'preferred')
  if (devices === undefined && gpus === undefined) return undefined
  return all([devices ?? pciNearness(spec), gpus ?? gpuNearness(spec, 'required')])
}

/**
 * For PCI devices, all requirements and preferences, treated as requirements. Below feature level PREFERRED_NEAR, only the requirements.
 * Undefined if the request has no preference.
 */
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

const anyCells: NearnessOnHost = { shortOf: () => undefined, allShortOf: () => [], canComplete: () => true, traitOf: () => '', key: '' }

/** Combines the requirements for several kinds of devices into one. Undefined if there are none. */
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
        canComplete: (chosen, used, more) => here.every((kind) => kind.canComplete(chosen, used, more)),
        traitOf: (cell) => here.map((kind) => kind.traitOf(cell)).join('|'),
        get key() {
          return here.map(({ key }) => key).join('|')
        },
      }
    },
  }
}
