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

/** The unit and the reason codes for the refusals of a filter for one resource class. */
interface Words {
  readonly resourceClass: string
  readonly unit: string
  /** The reason code if the host's total of the class would be enough, but the free amount is not. */
  readonly short: Code
  /** The reason code if the host's total of the class is less than requested, so that even an empty host would refuse. */
  readonly tooLittle: Code
}

/**
 * Creates a filter that passes hosts with enough of a resource class free. From feature level STRICT_CLAIMS on, one instance gets at most
 * the total minus the reserved amount, unless the report has another `max_unit`, because overcommit only lets several instances share the
 * total. With `limitsAlways`, one instance is limited to the total at every level, as in Nova's CoreFilter. A moving instance needs no free
 * amount on a host where it already holds enough. Returns undefined if `need` is 0.
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
    // below feature level UNITS_BEFORE_FREE, this filter does not report violated unit rules (min_unit, max_unit, step_size)
    const known = hosts.featureLevel < UNITS_BEFORE_FREE ? lacks.filter((lack) => lack !== 'unit') : lacks
    return isOverTotal(host) ? ['in total', ...known.filter((lack) => lack !== 'in total')] : known
  }
  return {
    passes: (host) => (at(free, host) >= need && !isOverTotal(host) && !isBeyond(host)) || isHeld(host),
    reason(host) {
      const said = (missing: number | 'in total') => ({
        ...{ subject: resourceClass, need, unit },
        ...reserveOf(hosts, host, resourceClass, unit, { missing }),
      })
      switch (whyNot(host)[0]) {
        case 'unit':
          return { subject: resourceClass, need, unit, code: 'class.unit', have: unitRule(columns, host) }
        case 'free':
          return { ...said(need - at(free, host)), code: short, have: at(free, host), ...keptByMover(hosts, host, 'classes') }
        default:
          return { ...said('in total'), code: tooLittle, have: isStrict ? inAllOf(columns, host) : at(total, host) }
      }
    },
    facts: (host) => factsOfLacks(hosts, host, asked, whyNot(host)),
  }
}
