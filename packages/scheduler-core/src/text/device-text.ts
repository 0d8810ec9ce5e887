import { byCodeUnit } from '../values/canonical-json.ts'

/** Display names of keys in descriptions of PCI devices. Other keys are shown unchanged. */
const words: Readonly<Record<string, string>> = { vendor_id: 'vendor', product_id: 'product', dev_type: 'type' }

/** Names the devices of a PCI request: the alias, or the index of the request if it has no alias, then the description of the devices. */
export function devicesText(alias: string | null | undefined, specs: readonly Readonly<Record<string, unknown>>[], i: number): string {
  const name = alias ?? `request ${i}`
  const described = describedText(specs)
  return described === '' ? name : `${name} (${described})`
}

/** Writes a count of PCI devices, followed by their alias and description in parentheses. */
export function countedDevices(count: number, alias: string | null | undefined, specs: Parameters<typeof devicesText>[1]): string {
  const sort = [alias ?? '', describedText(specs)].filter((text) => text !== '').join(', ')
  return sort === '' ? `${count}` : `${count} (${sort})`
}

/** Writes the alternative descriptions of the devices of a PCI request. */
function describedText(specs: Parameters<typeof devicesText>[1]): string {
  const described = specs.map((spec) =>
    Object.keys(spec)
      .sort((one, other) => orderOf(one) - orderOf(other) || byCodeUnit(one, other))
      .map((key) => `${words[key] ?? key} ${String(spec[key]).toLowerCase()}`)
      .join(', '),
  )
  return [...new Set(described)].filter((text) => text !== '').join(' or ')
}

/** The position of a key in a description: vendor, product, type, then all other keys. */
const orderOf = (key: string): number => {
  const i = Object.keys(words).indexOf(key)
  return i < 0 ? Object.keys(words).length : i
}
