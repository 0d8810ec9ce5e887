import type { HostStats } from '../fleet/stats.ts'
import { memoByObject } from '../memo.ts'
import type { HostService } from './host-state.ts'
import { readNovaService } from './import/host.ts'

/** The service on a host as Nova's document told of it with the last report; undefined where there was none. Read once per report. */
export const toldService = (stats: HostStats): HostService | undefined =>
  stats.nova === null || stats.nova.service === null ? undefined : read(stats)

const read = memoByObject(({ nova }: HostStats) => (nova?.service ? readNovaService(nova.service) : undefined))

/** Nothing new may go to a host whose service was taken out in Nova. */
export const isServiceOut = (service: HostService | undefined): boolean => service !== undefined && (service.disabled || service.forcedDown)

/** False: nothing that the report tells is against the service. True: it is out, or what is told cannot be read, which is for the filter to meet. */
export function isServiceSuspect(stats: HostStats): boolean {
  try {
    return isServiceOut(toldService(stats))
  } catch {
    return true
  }
}
