import { readFileSync } from 'node:fs'

/** The capabilities that this process has in effect (capabilities(7)), each as the bit with its number. Root in a container can lack some. */
export function effectiveCapabilities(): bigint {
  const [, effective] = /^CapEff:\s*([\da-f]+)$/im.exec(readFileSync('/proc/self/status', 'latin1')) ?? []
  return BigInt(`0x${effective ?? '0'}`)
}
