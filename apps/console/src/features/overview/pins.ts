import { createKept } from '../../lib/browser/kept.ts'
import type { Flavor } from './figures.ts'

/** A flavor that the operator pinned, so that it stays in the table even if it is rarely requested. */
export type Pin = Omit<Flavor, 'decisions'>

/** At most this many flavors can be pinned. */
export const MAX_PINS = 10

/** The pins that this browser stores. They are used if the URL has no pins. */
export const keptPins = createKept('overview.pins', readPins)

/** Parses the flavors in a URL. Invalid parts are ignored. */
export function pinsOf(text: string): readonly Pin[] {
  try {
    return readPins(JSON.parse(text))
  } catch {
    return []
  }
}

/** Prints pins for the URL. Undefined for none. */
export const printPins = (pins: readonly Pin[]): string | undefined => (pins.length === 0 ? undefined : JSON.stringify(pins))

/** The key of a flavor. It contains only the fields that identify the flavor, and not how often it is requested. */
export const keyOf = ({ name, vcpus, memoryMb, rootGb, ephemeralGb, swapMb, extraSpecs }: Pin): string =>
  JSON.stringify([name, vcpus, memoryMb, rootGb, ephemeralGb, swapMb, extraSpecs.map(({ key, value }) => [key, value])])

export interface FitsFlavor {
  readonly pin: Pin
  readonly isPinned: boolean
}

/**
 * The rows of the table: all pinned flavors in the order of pinning, then the most requested other flavors, until there are `rows` rows.
 */
export function flavorsOf(pins: readonly Pin[], asked: readonly Flavor[], rows: number): readonly FitsFlavor[] {
  const pinned = new Set(pins.map(keyOf))
  const others = asked.filter((flavor) => !pinned.has(keyOf(flavor))).slice(0, Math.max(0, rows - pins.length))
  return [...pins.map((pin) => ({ pin, isPinned: true })), ...others.map((flavor) => ({ pin: toPin(flavor), isPinned: false }))]
}

export const toPin = ({ decisions: _, ...pin }: Flavor): Pin => pin

export function readPins(kept: unknown): readonly Pin[] {
  const found = new Map<string, Pin>()
  for (const one of Array.isArray(kept) ? kept : []) {
    const pin = readPin(one)
    if (pin !== undefined && found.size < MAX_PINS) found.set(keyOf(pin), pin)
  }
  return [...found.values()]
}

function readPin(kept: unknown): Pin | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined
  const { name = null, extraSpecs = [], ...amounts } = kept as Record<string, unknown>
  const amount = (field: string): number | undefined => {
    const value = amounts[field] ?? 0
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
  }
  const [vcpus, memoryMb, rootGb, ephemeralGb, swapMb] = ['vcpus', 'memoryMb', 'rootGb', 'ephemeralGb', 'swapMb'].map(amount)
  if (name !== null && typeof name !== 'string') return undefined
  if (!Array.isArray(extraSpecs) || !extraSpecs.every(isKeyValue)) return undefined
  if (vcpus === undefined || memoryMb === undefined || rootGb === undefined || ephemeralGb === undefined || swapMb === undefined)
    return undefined
  return { name, vcpus, memoryMb, rootGb, ephemeralGb, swapMb, extraSpecs: extraSpecs.map(({ key, value }) => ({ key, value })) }
}

const isKeyValue = (one: unknown): one is { key: string; value: string } =>
  typeof one === 'object' && one !== null && 'key' in one && 'value' in one && typeof one.key === 'string' && typeof one.value === 'string'
