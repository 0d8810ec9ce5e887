/** An assignment of guest cells to host cells, in both directions: `hostOf[guest]` and `guestOf[host]`. The value -1 means none. */
export interface Matching {
  readonly hostOf: Int32Array
  readonly guestOf: Int32Array
}

type Fits = (guest: number, host: number) => boolean

/** Assigns a separate host cell to each guest cell. Undefined if there is no such assignment. */
export function matchAll(guests: number, hosts: number, fits: Fits, step: () => void): Matching | undefined {
  const matching = { hostOf: new Int32Array(guests).fill(-1), guestOf: new Int32Array(hosts).fill(-1) }
  for (let guest = 0; guest < guests; guest += 1) if (!assign(matching, guest, new Uint8Array(hosts), fits, step)) return undefined
  return matching
}

/** The maximum number of guest cells that can have separate host cells at the same time. */
export function largestMatching(guests: number, hosts: number, fits: Fits): number {
  const matching = { hostOf: new Int32Array(guests).fill(-1), guestOf: new Int32Array(hosts).fill(-1) }
  let assigned = 0
  for (let guest = 0; guest < guests; guest += 1) if (assign(matching, guest, new Uint8Array(hosts), fits, () => {})) assigned += 1
  return assigned
}

/**
 * Changes a matching so that `guest` has the host cell `host`. If another guest cell has this host cell, the other guest cell is moved to a
 * host cell that is not in `used`. Undefined if this is not possible.
 */
export function rematch(
  before: Matching,
  guest: number,
  host: number,
  used: Uint8Array,
  fits: Fits,
  step: () => void,
): Matching | undefined {
  if (before.hostOf[guest] === host) return before
  const matching = { hostOf: before.hostOf.slice(), guestOf: before.guestOf.slice() }
  const displaced = matching.guestOf[host] as number
  matching.guestOf[matching.hostOf[guest] as number] = -1
  matching.guestOf[host] = guest
  matching.hostOf[guest] = host
  if (displaced < 0) return matching
  return assign(matching, displaced, used.slice(), fits, step) ? matching : undefined
}

/**
 * Assigns a host cell to a guest cell, and moves other guest cells if this frees a host cell (an augmenting path). Host cells in `closed`
 * are skipped. Examined host cells are added to `closed`.
 */
function assign(matching: Matching, guest: number, closed: Uint8Array, fits: Fits, step: () => void): boolean {
  for (let host = 0; host < closed.length; host += 1) {
    step()
    if (closed[host] === 1 || !fits(guest, host)) continue
    closed[host] = 1
    const other = matching.guestOf[host] as number
    if (other >= 0 && !assign(matching, other, closed, fits, step)) continue
    matching.guestOf[host] = guest
    matching.hostOf[guest] = host
    return true
  }
  return false
}
