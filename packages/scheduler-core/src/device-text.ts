import { byCodeUnit } from './canonical-json.ts'

/** Words for the keys by which devices are described; of others the key is the word. */
const words: Readonly<Record<string, string>> = { vendor_id: 'vendor', product_id: 'product', dev_type: 'type' }

/** Which PCI devices a request is for: its alias, or its number in the request, then how it describes them. */
export function devicesText(alias: string | null | undefined, specs: readonly Readonly<Record<string, unknown>>[], i: number): string {
  const described = specs.map((spec) =>
    Object.keys(spec)
      .sort((one, other) => orderOf(one) - orderOf(other) || byCodeUnit(one, other))
      .map((key) => `${words[key] ?? key} ${String(spec[key]).toLowerCase()}`)
      .join(', '),
  )
  const name = alias ?? `request ${i}`
  const all = [...new Set(described)].filter((text) => text !== '').join(' or ')
  return all === '' ? name : `${name} (${all})`
}

/** The vendor first, then the product. */
const orderOf = (key: string): number => {
  const i = Object.keys(words).indexOf(key)
  return i < 0 ? Object.keys(words).length : i
}
