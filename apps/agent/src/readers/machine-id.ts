import { createHmac } from 'node:crypto'
import { type Source, Unreadable } from './source.ts'

const FILE = 'etc/machine-id'
/** A constant that makes the reported id differ from ids that other programs derive. It must never change. */
const APPLICATION = 'gantt agent'

/**
 * An id of the machine with 32 hexadecimal digits. It is derived from /etc/machine-id, which itself must not leave the machine
 * (machine-id(5)). Throws Unreadable.
 */
export function readMachineId(source: Source): string {
  const id = source.text(FILE)
  // While a machine is being installed, the file contains "uninitialized".
  if (!/^[0-9a-f]{32}$/.test(id)) throw new Unreadable(`/${FILE}: ${JSON.stringify(id.slice(0, 40))} is not 32 hexadecimal digits`)
  return createHmac('sha256', Buffer.from(id, 'hex')).update(APPLICATION).digest('hex').slice(0, 32)
}
