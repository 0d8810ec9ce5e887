import type { Filter } from '../contracts/filter.ts'
import { at } from '../hosts/columns.ts'
import { livenessOf, reportOf, statusOf } from '../hosts/sources.ts'
import { hostStatuses } from '../records/change.ts'
import { isServiceOut, reportedService } from '../report/reported-service.ts'
import { fromRule, type Source } from '../text/evidence.ts'
import type { HostIndex } from '../values/host-index.ts'

const ENABLED = 0
const DOWN = 2

/** Passes hosts that are enabled and not DOWN. If the report is in Nova's form, its service must be enabled and not forced down. */
export const computeFilter: Filter = {
  name: 'ComputeFilter',
  description: 'The host is enabled and alive.',
  reads: [],
  readsHostOnly: true,
  cacheKey: () => '',
  prepare(_request, { hosts }) {
    const { status, liveness, serviceSuspect } = hosts.columns
    const serviceOf = (host: HostIndex) => reportedService(hosts.get(host).stats)
    return {
      passes: (host) =>
        at(status, host) === ENABLED && at(liveness, host) !== DOWN && (at(serviceSuspect, host) === 0 || !isServiceOut(serviceOf(host))),
      reason(host) {
        const service = serviceOf(host)
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
        const service = serviceOf(host)
        const isDown = at(liveness, host) === DOWN
        const fact = (subject: string, required: string, actual: string, actualFrom: Source) => ({
          subject,
          required,
          actual,
          requiredFrom: fromRule('only hosts that are enabled and alive take instances'),
          actualFrom,
        })
        // The facts are in the same order as the checks in `reason`.
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
