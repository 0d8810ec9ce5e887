import { createHmac } from 'node:crypto'
import { type Source, Unreadable } from './source.ts'

const FILE = 'etc/machine-id'
/** Distinguishes the reported id from ids that other programs derive; it must never change. */
const APPLICATION = 'gantt agent'

/**
 * The identity of the machine: derived from /etc/machine-id, which must not leave the machine itself (machine-id(5)).
 * 32 hexadecimal digits. Throws Unreadable.
 */
export function readMachineId(source: Source): string {
  const id = source.text(FILE)
  // while a machine is installed the file contains "uninitialized"
  if (!/^[0-9a-f]{32}$/.test(id)) throw new Unreadable(`/${FILE}: ${JSON.stringify(id.slice(0, 40))} is not 32 hexadecimal digits`)
  return createHmac('sha256', Buffer.from(id, 'hex')).update(APPLICATION).digest('hex').slice(0, 32)
}
