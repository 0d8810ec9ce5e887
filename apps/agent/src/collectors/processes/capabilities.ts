import { readFileSync } from 'node:fs'

/**
 * The capabilities that this process has in effect (capabilities(7)), each as the bit with its number. Root in a container can lack some.
 * Systems without /proc have none.
 */
export function effectiveCapabilities(): bigint {
  const [, effective] = /^CapEff:\s*([\da-f]+)$/im.exec(statusOf()) ?? []
  return BigInt(`0x${effective ?? '0'}`)
}

function statusOf(): string {
  try {
    return readFileSync('/proc/self/status', 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
