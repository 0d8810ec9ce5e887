import { fromRule, type Source } from '../evidence.ts'
import { hostStatuses } from '../fleet/change.ts'
import { at } from '../fleet/columns.ts'
import { livenessOf, reportOf, statusOf } from '../fleet/sources.ts'
import type { HostIndex } from '../host-index.ts'
import { isServiceOut, toldService } from '../nova/told-service.ts'
import type { Filter } from './filter.ts'

const ENABLED = 0
const DOWN = 2

/** The host is enabled by its operators and not down; what a report in Nova's words tells of its service counts too. */
export const computeFilter: Filter = {
  name: 'ComputeFilter',
  description: 'The host is enabled and alive.',
  reads: [],
  readsHostOnly: true,
  prepare(_request, { hosts }) {
    const { status, liveness, serviceSuspect } = hosts.columns
    const told = (host: HostIndex) => toldService(hosts.get(host).stats)
    return {
      passes: (host) =>
        at(status, host) === ENABLED && at(liveness, host) !== DOWN && (at(serviceSuspect, host) === 0 || !isServiceOut(told(host))),
      reason(host) {
        const service = told(host)
        if (at(status, host) === ENABLED && at(liveness, host) !== DOWN && service !== undefined)
          return service.disabled
            ? { code: 'host.disabled', subject: 'service', need: 'ENABLED', have: 'DISABLED', source: service.disabledReason ?? 'Nova' }
            : { code: 'host.down', subject: 'service', need: 'UP', have: 'forced down', source: 'Nova' }
        return at(status, host) === ENABLED
          ? { code: 'host.down', need: 'UP or SUSPECT', have: 'DOWN', source: hosts.get(host).livenessReason }
          : {
              code: 'host.disabled',
              need: 'ENABLED',
              have: hostStatuses[at(status, host)] as string,
              source: hosts.get(host).statusReason,
            }
      },
      facts(host) {
        const record = hosts.get(host)
        const service = told(host)
        const isDown = at(liveness, host) === DOWN
        const fact = (subject: string, required: string, actual: string, actualFrom: Source) => ({
          subject,
          required,
          actual,
          requiredFrom: fromRule('only hosts that are enabled and alive take instances'),
          actualFrom,
        })
        // in the order in which `reason` looks
        return [
          ...(at(status, host) === ENABLED ? [] : [fact('status', 'ENABLED', hostStatuses[at(status, host)] as string, statusOf(record))]),
          ...(isDown ? [fact('liveness', 'UP or SUSPECT', 'DOWN', livenessOf(record))] : []),
          ...(service?.disabled
            ? [fact('service', 'ENABLED', 'DISABLED', { ...reportOf(record), kind: 'service', ref: service.disabledReason ?? 'Nova' })]
            : []),
          ...(service?.forcedDown ? [fact('service', 'UP', 'forced down', { ...reportOf(record), kind: 'service', ref: 'Nova' })] : []),
        ]
      },
    }
  },
}
