import type { Code } from '../../codes.ts'
import { at } from '../../fleet/columns.ts'
import type { HostTable } from '../../fleet/hosts.ts'
import { STRICT_CLAIMS, UNITS_BEFORE_FREE } from '../../fleet/levels.ts'
import { reserveOf } from '../../fleet/sources.ts'
import type { HostIndex } from '../../host-index.ts'
import type { PreparedFilter } from '../../prepared-filter.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { amountFrom } from '../../request/sources.ts'
import { heldByMover, keptByMover } from '../mover.ts'
import { type ClassLack, factsOfLacks, inAllOf, isBeyondAll, lacksOf, unitRule } from './room.ts'

/** How a filter of one class says what is missing. */
interface Words {
  readonly resourceClass: string
  readonly unit: string
  /** The host has it, and it is taken. */
  readonly short: Code
  /** The host does not have so much in all. */
  readonly tooLittle: Code
}

/**
 * The host has so much of a class left, and in all: overcommit is against other instances. What the instance that moves holds there
 * already needs no room. `limitsAlways`: one instance never gets more than the total, at older feature levels too (Nova's CoreFilter).
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
    const lacks = lacksOf(hosts, host, columns, need)
    // the filter itself has no unit rules: they are said where it refuses for an amount
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
