import { byCodeUnit } from '../values/canonical-json.ts'

/** Display names of the keys that describe devices. Other keys are shown unchanged. */
const words: Readonly<Record<string, string>> = { vendor_id: 'vendor', product_id: 'product', dev_type: 'type' }

/** The requested PCI devices: the alias or the number of the request, then the description of the devices. */
export function devicesText(alias: string | null | undefined, specs: readonly Readonly<Record<string, unknown>>[], i: number): string {
  const name = alias ?? `request ${i}`
  const described = describedText(specs)
  return described === '' ? name : `${name} (${described})`
}

/** The number and type of PCI devices, if nothing else of the request is known. */
export function countedDevices(count: number, alias: string | null | undefined, specs: Parameters<typeof devicesText>[1]): string {
  const sort = [alias ?? '', describedText(specs)].filter((text) => text !== '').join(', ')
  return sort === '' ? `${count}` : `${count} (${sort})`
}

/** The alternative descriptions of devices as text. */
function describedText(specs: Parameters<typeof devicesText>[1]): string {
  const described = specs.map((spec) =>
    Object.keys(spec)
      .sort((one, other) => orderOf(one) - orderOf(other) || byCodeUnit(one, other))
      .map((key) => `${words[key] ?? key} ${String(spec[key]).toLowerCase()}`)
      .join(', '),
  )
  return [...new Set(described)].filter((text) => text !== '').join(' or ')
}

/** The vendor first, then the product, then other keys. */
const orderOf = (key: string): number => {
  const i = Object.keys(words).indexOf(key)
  return i < 0 ? Object.keys(words).length : i
}
