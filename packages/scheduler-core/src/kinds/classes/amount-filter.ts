import { at } from '../../hosts/columns.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import { reserveOf } from '../../hosts/sources.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { amountFrom } from '../../request/sources.ts'
import type { Code } from '../../text/codes.ts'
import type { PreparedFilter } from '../../text/prepared-filter.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { STRICT_CLAIMS, UNITS_BEFORE_FREE } from '../../values/levels.ts'
import { heldByMover, keptByMover } from '../mover.ts'
import { type ClassLack, factsOfLacks, inAllOf, isBeyondAll, lacksOf, unitRule } from './room.ts'

/** The reason codes with which a filter of one class describes a shortfall. */
interface Words {
  readonly resourceClass: string
  readonly unit: string
  /** The code for a host whose total is enough, but whose free amount is too small. */
  readonly short: Code
  /** The code for a host whose total is too small, so that it would refuse even if it were empty. */
  readonly tooLittle: Code
}

/**
 * A filter that passes hosts with enough free amount of a resource class. The total must also be enough for one instance, because
 * overcommit only lets several instances share. The amount that a moving instance already holds on the host needs no further capacity. With
 * `limitsAlways`, one instance never gets more than the total, even at older feature levels (Nova's CoreFilter).
 */
export function amountFilter(
  request: RequestSpec,
  hosts: HostTable,
  need: number,
  { resourceClass, unit, short, tooLittle }: Words,
  limitsAlways = false,
): PreparedFilter | undefined {
  if (need === 0) return undefined
  const columns = hosts.classColumns(resourceClass)
  const { free, total } = columns
  const isStrict = hosts.featureLevel >= STRICT_CLAIMS
  const isBeyond = (host: HostIndex): boolean => isStrict && at(columns.reported, host) === 1 && isBeyondAll(columns, host, need)
  const isOverTotal = (host: HostIndex): boolean => limitsAlways && at(total, host) < need
  const isHeld = (host: HostIndex): boolean => hosts.mover !== null && need <= (heldByMover(hosts, host)?.classes?.[resourceClass] ?? 0)
  const asked = { subject: resourceClass, required: need, unit, requiredFrom: amountFrom(request, resourceClass) }
  const whyNot = (host: HostIndex): readonly ClassLack[] => {
    const lacks = lacksOf(hosts, host, { resourceClass, amount: need })
    // violated unit rules are reported only if the filter refuses the amount
    const known = hosts.featureLevel < UNITS_BEFORE_FREE ? lacks.filter((lack) => lack !== 'unit') : lacks
    return isOverTotal(host) ? ['in all', ...known.filter((lack) => lack !== 'in all')] : known
  }
  return {
    passes: (host) => (at(free, host) >= need && !isOverTotal(host) && !isBeyond(host)) || isHeld(host),
    reason(host) {
      const said = (missing: number | 'in all') => ({
        ...{ subject: resourceClass, need, unit },
        ...reserveOf(hosts, host, resourceClass, unit, { missing }),
      })
      switch (whyNot(host)[0]) {
        case 'unit':
          return { subject: resourceClass, need, unit, code: 'class.unit', have: unitRule(columns, host) }
        case 'free':
          return { ...said(need - at(free, host)), code: short, have: at(free, host), ...keptByMover(hosts, host, 'classes') }
        default:
          return { ...said('in all'), code: tooLittle, have: isStrict ? inAllOf(columns, host) : at(total, host) }
      }
    },
    facts: (host) => factsOfLacks(hosts, host, asked, whyNot(host)),
  }
}
