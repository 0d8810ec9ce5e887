import { createHmac } from 'node:crypto'
import { type Source, Unreadable } from './source.ts'

const FILE = 'etc/machine-id'
/** Makes the derived id differ from ids that other programs derive from /etc/machine-id. This text must never change. */
const APPLICATION = 'gantt agent'

/**
 * Derives an id of the machine with 32 hexadecimal digits from /etc/machine-id. The content of /etc/machine-id itself must not leave the
 * machine (machine-id(5)). Throws Unreadable.
 */
export function readMachineId(source: Source): string {
  const id = source.text(FILE)
  // Until the installation of a machine is complete, the file contains "uninitialized".
  if (!/^[0-9a-f]{32}$/.test(id)) throw new Unreadable(`/${FILE}: ${JSON.stringify(id.slice(0, 40))} is not 32 hexadecimal digits`)
  return createHmac('sha256', Buffer.from(id, 'hex')).update(APPLICATION).digest('hex').slice(0, 32)
}
