import { hostStatuses } from '../fleet/change.ts'
import { at } from '../fleet/columns.ts'
import type { Filter } from './filter.ts'

const ENABLED = 0
const DOWN = 2

/** The host is enabled by its operators and not down. */
export const computeFilter: Filter = {
  name: 'ComputeFilter',
  description: 'The host is enabled and alive.',
  prepare(_request, { hosts }) {
    const { status, liveness } = hosts.columns
    return {
      passes: (host) => at(status, host) === ENABLED && at(liveness, host) !== DOWN,
      reason: (host) =>
        at(status, host) === ENABLED
          ? { code: 'host.down', need: 'UP or SUSPECT', have: 'DOWN', source: hosts.get(host).livenessReason }
          : {
              code: 'host.disabled',
              need: 'ENABLED',
              have: hostStatuses[at(status, host)] as string,
              source: hosts.get(host).statusReason,
            },
    }
  },
}
