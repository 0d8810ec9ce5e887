import type { Fleet } from '../fleet/fleet.ts'
import { byCodeUnit } from '../values/canonical-json.ts'
import { headView, wholeHostView } from './views.ts'

/** The version of the digest format. Every change of the format must raise it. Digests in different formats are then not compared. */
export const DIGEST_FORMAT = 2

/**
 * One part of the state has this many hosts. The count is small because the digest of a part is computed without yielding to the event
 * loop. `npm run prove -- restart` measures the time.
 */
export const HOSTS_PER_PART = 4

/**
 * Returns the count of parts of the state. The first part has the data that exists only once. The other parts have the hosts, in the order
 * of their first reports.
 */
export const partsOf = ({ hosts }: Fleet): number => 1 + Math.ceil(hosts.count / HOSTS_PER_PART)

/** Computes the digest of one part, as 16 hexadecimal digits. All replicas at the same revision have the same digest. */
export function digestPart(fleet: Fleet, part: number): string {
  const digest = createDigest()
  if (part === 0) {
    digest.take(headView(fleet))
    for (const { uuid, version, revision, name, metadata } of fleet.aggregates.byUuid.values())
      digest.take({ uuid, version, revision, name, metadata })
  } else {
    const first = (part - 1) * HOSTS_PER_PART
    for (const record of fleet.hosts.records.slice(first, first + HOSTS_PER_PART)) digest.take(wholeHostView(fleet, record))
  }
  return digest.end()
}

/** Combines the digests of all parts, in their order, into one digest. */
export function digestAll(parts: readonly string[]): string {
  const digest = createDigest()
  digest.take(parts)
  return digest.end()
}

/** FNV-1a in two lanes over the UTF-16 code units of a value's canonical form. It detects different states, but is not cryptographic. */
function createDigest() {
  let a = 0x811c9dc5
  let b = 0x01234567
  const text = (value: string): void => {
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i)
      a = Math.imul(a ^ unit, 0x01000193)
      b = Math.imul(b ^ unit, 0x01000193) + 0x9e37
    }
  }
  const take = (value: unknown): void => {
    if (Array.isArray(value)) {
      text(`[${value.length}`)
      for (const item of value) take(item)
    } else if (value !== null && typeof value === 'object') {
      const members = value as Readonly<Record<string, unknown>>
      text('{')
      for (const key of inOrder(Object.keys(members))) {
        if (members[key] === undefined) continue
        text(`${key}:`)
        take(members[key])
      }
      text('}')
    }
    // Quotes distinguish a string from a number with the same characters.
    else if (typeof value === 'string') text(`"${value.length}${value}`)
    else text(` ${value}`)
  }
  return { take, end: () => hex(a) + hex(b) }
}

/**
 * A cache of the sorted keys of objects. Its key is the list of the unsorted keys, joined. Most objects have the same keys in the same
 * order, so these keys are sorted only once.
 */
const orders = new Map<string, readonly string[]>()
const MAX_ORDERS = 1_000
/** Key lists with more characters than this are not cached. Callers choose the keys of such objects, so the lists rarely repeat. */
const MAX_ORDER_LENGTH = 1_000

function inOrder(keys: string[]): readonly string[] {
  const made = keys.join('\u0000')
  const known = orders.get(made)
  if (known !== undefined) return known
  const sorted = keys.sort(byCodeUnit)
  if (orders.size < MAX_ORDERS && made.length <= MAX_ORDER_LENGTH) orders.set(made, sorted)
  return sorted
}

const hex = (lane: number): string => (lane >>> 0).toString(16).padStart(8, '0')
