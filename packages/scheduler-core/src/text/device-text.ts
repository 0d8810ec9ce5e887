import { byCodeUnit } from '../values/canonical-json.ts'

/** Names for people of the keys by which devices are described; other keys are used as they are. */
const words: Readonly<Record<string, string>> = { vendor_id: 'vendor', product_id: 'product', dev_type: 'type' }

/** Which PCI devices a request is for: its alias, or its number in the request, then its description of them. */
export function devicesText(alias: string | null | undefined, specs: readonly Readonly<Record<string, unknown>>[], i: number): string {
  const name = alias ?? `request ${i}`
  const described = describedText(specs)
  return described === '' ? name : `${name} (${described})`
}

/** The number and type of PCI devices, if nothing else is known of the request. */
export function countedDevices(count: number, alias: string | null | undefined, specs: Parameters<typeof devicesText>[1]): string {
  const sort = [alias ?? '', describedText(specs)].filter((text) => text !== '').join(', ')
  return sort === '' ? `${count}` : `${count} (${sort})`
}

/** The alternatives by which devices are described. */
function describedText(specs: Parameters<typeof devicesText>[1]): string {
  const described = specs.map((spec) =>
    Object.keys(spec)
      .sort((one, other) => orderOf(one) - orderOf(other) || byCodeUnit(one, other))
      .map((key) => `${words[key] ?? key} ${String(spec[key]).toLowerCase()}`)
      .join(', '),
  )
  return [...new Set(described)].filter((text) => text !== '').join(' or ')
}

/** The vendor first, then the product. */
const orderOf = (key: string): number => {
  const i = Object.keys(words).indexOf(key)
  return i < 0 ? Object.keys(words).length : i
}
