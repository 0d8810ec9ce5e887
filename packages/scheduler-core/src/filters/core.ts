import { at } from '../fleet/columns.ts'
import { freeFact, reportOf } from '../fleet/sources.ts'
import { classFields } from '../fleet/stats-fields.ts'
import { demandOf } from '../request/request-spec.ts'
import { amountFrom } from '../request/sources.ts'
import type { Filter } from './filter.ts'

/** The host can still give the virtual CPUs asked for, and has at least as many CPUs in all (Nova's CoreFilter). */
export const coreFilter: Filter = {
  name: 'CoreFilter',
  description: 'The host has the virtual CPUs asked for left; overcommit never gives one instance more CPUs than the host has.',
  reads: classFields.VCPU,
  readsHostOnly: true,
  prepare(request, { hosts }) {
    const need = demandOf(request).vcpus
    if (need === 0) return undefined

    const { free, total } = hosts.classColumns('VCPU')
    return {
      passes: (host) => at(free, host) >= need && at(total, host) >= need,
      reason: (host) =>
        at(total, host) < need
          ? { code: 'cpu.too_few', subject: 'VCPU', need, have: at(total, host), unit: 'vCPU' }
          : { code: 'cpu.short', subject: 'VCPU', need, have: at(free, host), unit: 'vCPU' },
      facts(host) {
        const asked = { subject: 'VCPU', required: need, unit: 'vCPU', requiredFrom: amountFrom(request, 'VCPU') }
        const inAll = { ...asked, actual: at(total, host), actualFrom: reportOf(hosts.get(host)) }
        const left = freeFact(hosts, host, 'VCPU', asked)
        return at(total, host) >= need ? [left] : at(free, host) >= need ? [inAll] : [inAll, left]
      },
    }
  },
}
