import type { Code } from '../../codes.ts'
import { at } from '../../fleet/columns.ts'
import type { HostTable } from '../../fleet/hosts.ts'
import { IN_ALL_BEFORE_FREE, STRICT_CLAIMS } from '../../fleet/levels.ts'
import { freeFact, inAllFact, reserveOf } from '../../fleet/sources.ts'
import type { HostIndex } from '../../host-index.ts'
import type { PreparedFilter } from '../../prepared-filter.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { amountFrom } from '../../request/sources.ts'
import { heldByMover, keptByMover } from '../mover.ts'
import { inAllOf, isBeyondAll } from './room.ts'

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
  const isInAllFirst = hosts.featureLevel >= IN_ALL_BEFORE_FREE
  const lacksInAll = (host: HostIndex): boolean => isOverTotal(host) || (isInAllFirst && isBeyond(host))
  const isHeld = (host: HostIndex): boolean => hosts.mover !== null && need <= (heldByMover(hosts, host)?.classes?.[resourceClass] ?? 0)
  const asked = { subject: resourceClass, required: need, unit, requiredFrom: amountFrom(request, resourceClass) }
  return {
    passes: (host) => (at(free, host) >= need && !isOverTotal(host) && !isBeyond(host)) || isHeld(host),
    reason(host) {
      const isInAll = lacksInAll(host) || at(free, host) >= need
      const said = {
        subject: resourceClass,
        need,
        unit,
        ...reserveOf(hosts, host, resourceClass, unit, { missing: isInAll ? 'in all' : need - at(free, host) }),
      }
      return isInAll
        ? { ...said, code: tooLittle, have: isStrict ? inAllOf(columns, host) : at(total, host) }
        : { ...said, code: short, have: at(free, host), ...keptByMover(hosts, host, 'classes') }
    },
    facts(host) {
      const isShort = at(free, host) < need
      const left = freeFact(hosts, host, resourceClass, asked)
      if (!lacksInAll(host)) return [isShort ? left : inAllFact(hosts, host, resourceClass, asked)]
      return [inAllFact(hosts, host, resourceClass, asked), ...(isShort ? [left] : [])]
    },
  }
}
