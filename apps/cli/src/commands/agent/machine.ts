import type { OfferedPci } from '@gantt/agent'
import { InvalidArgumentError } from 'commander'

/** The kernel's name of an architecture, such as x86_64 for Node's x64. */
export const archOf = (nodeName: string): string =>
  ({ x64: 'x86_64', arm64: 'aarch64', ia32: 'i686', ppc64: 'ppc64le' })[nodeName] ?? nodeName

/** Parses `8086:154c,physical_network=physnet1`, and adds it to the devices of earlier options. */
export function readOfferedPci(text: string, before: readonly OfferedPci[] = []): readonly OfferedPci[] {
  const [ids = '', ...tags] = text.split(',')
  const [, vendor, product] = /^([0-9a-f]{4}):([0-9a-f]{4})$/.exec(ids.toLowerCase()) ?? []
  const pairs = tags.map((tag) => /^([^=]+)=(.+)$/.exec(tag))
  if (vendor === undefined || product === undefined || pairs.includes(null))
    throw new InvalidArgumentError('It must be like 8086:154c or 8086:154c,physical_network=physnet1.')
  return [...before, { vendor, product, tags: Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? ''])) }]
}
