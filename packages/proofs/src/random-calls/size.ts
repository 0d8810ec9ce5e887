/** The size limit of a request body, in bytes. */
export const BODY_BYTES = 4 * 1024 * 1024

/**
 * True if the value has more than about `bytes` bytes as JSON. Stops as soon as it has, because an item that occurs many times in lists
 * within lists can have more bytes as JSON than the memory of a machine.
 */
export const isLargerThan = (value: unknown, bytes: number): boolean => bytesLeft(value, bytes) < 0

/** How many of `bytes` are left after the value. Negative if the value is larger. */
function bytesLeft(value: unknown, bytes: number): number {
  if (typeof value === 'string') return bytes - value.length - 3
  if (typeof value !== 'object' || value === null) return bytes - 5
  let left = bytes - 2
  for (const [key, each] of Object.entries(value)) {
    left = bytesLeft(each, Array.isArray(value) ? left : left - key.length - 3)
    if (left < 0) return left
  }
  return left
}
