const buffer = new DataView(new ArrayBuffer(8))
const SIGN = 1n << 63n

/** Maps floating-point numbers to integers in the same order. Adjacent numbers have adjacent integers, and -0 is one below 0. */
function toOrder(value: number): bigint {
  buffer.setFloat64(0, value)
  const bits = buffer.getBigUint64(0)
  return bits >= SIGN ? -(bits - SIGN) - 1n : bits
}

function fromOrder(order: bigint): number {
  buffer.setBigUint64(0, order < 0n ? SIGN + (-order - 1n) : order)
  return buffer.getFloat64(0)
}

/** Returns the floating-point number that is adjacent to `value` in the direction of `target`. */
export function nextTowards(value: number, target: number): number {
  if (value === target) return value
  // 0 and -0 are treated as one number
  if (value === 0) return target > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE
  const next = fromOrder(toOrder(value) + (target > value ? 1n : -1n))
  return next === 0 ? 0 : next
}

/**
 * Finds by bisection a number at which a condition holds, although it does not hold at the adjacent number in the direction of `from`. The
 * condition must hold at `to` and not at `from`. If the condition changes several times between `from` and `to`, the result is at one of
 * these changes. `narrowed` is called with each interval of the search.
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
