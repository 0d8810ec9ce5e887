const buffer = new DataView(new ArrayBuffer(8))
const SIGN = 1n << 63n

/** Maps finite numbers to integers in the same order, so that adjacent numbers have adjacent integers. 0 and -0 are one step apart. */
function toOrder(value: number): bigint {
  buffer.setFloat64(0, value)
  const bits = buffer.getBigUint64(0)
  return bits >= SIGN ? -(bits - SIGN) - 1n : bits
}

function fromOrder(order: bigint): number {
  buffer.setBigUint64(0, order < 0n ? SIGN + (-order - 1n) : order)
  return buffer.getFloat64(0)
}

/** The floating-point number next to `value` in the direction of `target`. */
export function nextTowards(value: number, target: number): number {
  if (value === target) return value
  // comparisons treat 0 and -0 as equal
  if (value === 0) return target > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE
  const next = fromOrder(toOrder(value) + (target > value ? 1n : -1n))
  return next === 0 ? 0 : next
}

/**
 * Searches for the number nearest to `from` at which a condition holds. The condition must hold at `to` and not at `from`. It does not hold
 * at the number just before the result. If the condition changes several times in the interval, the result is one of these changes.
 * `narrowed` is called with each interval of the search.
 */
export function firstWhere(
  from: number,
  to: number,
  holds: (value: number) => boolean,
  narrowed: (a: number, b: number) => void = () => {},
): number {
  let without = toOrder(from)
  let withIt = toOrder(to)
  while (withIt - without > 1n || without - withIt > 1n) {
    const middle = (without + withIt) / 2n
    const between = middle === without || middle === withIt ? without + (withIt > without ? 1n : -1n) : middle
    if (holds(fromOrder(between))) withIt = between
    else without = between
    narrowed(fromOrder(without), fromOrder(withIt))
  }
  const found = fromOrder(withIt)
  return found === 0 ? 0 : found
}
