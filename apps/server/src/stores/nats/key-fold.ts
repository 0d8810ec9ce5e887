import type { ApiKey, KeyWrite } from '../api-keys.ts'
import { isMs, isObject } from './packing.ts'

/** A published edit of keys. */
export interface KeyEdit {
  readonly format: number
  readonly id: string
  /** The id of the last edit that had taken effect when this edit was decided; empty if there was none. */
  readonly after: string
  readonly writes: readonly KeyWrite[]
}

export const KEY_EDIT_FORMAT = 1

export interface HeldKey {
  readonly key: ApiKey
  readonly hash: string
  /** The sequence of the last edit that changed the key. */
  readonly sequence: number
}

/**
 * All keys, computed from all edits in order, with the same result on every replica. An edit takes effect if no other edit has taken effect
 * since it was decided. Otherwise it has no effect, and the replica that wrote it decides again. The store's compare-and-set is not used.
 */
export class KeyFold {
  readonly byId = new Map<string, HeldKey>()
  readonly byHash = new Map<string, string>()
  /** The id of the last edit that took effect. */
  head = ''
  /** The sequence of each edit that took effect, by the edit's id. */
  readonly sequences = new Map<string, number>()
  /** Why the keys are unknown: a newer release wrote an edit that this one cannot read. Otherwise undefined. */
  unreadable: string | undefined

  /** Applies an edit, and returns true if it took effect. */
  apply(edit: unknown, sequence: number): boolean {
    if (!isEdit(edit)) return false
    if (edit.format !== KEY_EDIT_FORMAT) {
      this.unreadable = `an edit of keys has format ${edit.format}; this release reads ${KEY_EDIT_FORMAT}`
      return false
    }
    if (edit.after !== this.head || this.unreadable !== undefined) return false
    this.head = edit.id
    this.sequences.set(edit.id, sequence)
    for (const write of edit.writes) this.#write(write, sequence)
    return true
  }

  clear(): void {
    this.byId.clear()
    this.byHash.clear()
    this.sequences.clear()
    this.head = ''
    this.unreadable = undefined
  }

  /** All keys, oldest first. */
  list(): HeldKey[] {
    return [...this.byId.values()].sort((a, b) => a.key.createdAt - b.key.createdAt || (a.key.id < b.key.id ? -1 : 1))
  }

  #write(write: KeyWrite, sequence: number): void {
    if (write.type === 'insert') {
      // edits of older releases do not have this field
      const key = { ...write.key, maxNodes: write.key.maxNodes ?? null }
      this.byId.set(key.id, { key, hash: write.hash, sequence })
      this.byHash.set(write.hash, write.key.id)
      return
    }
    const held = this.byId.get(write.id)
    if (held === undefined) return
    const change = write.type === 'expire' ? { expiresAt: write.at } : { revokedAt: write.at }
    this.byId.set(write.id, { ...held, key: { ...held.key, ...change }, sequence })
  }
}

/** Returns true if the value is an edit. Unknown fields of newer releases are ignored. */
function isEdit(value: unknown): value is KeyEdit {
  if (!isObject(value)) return false
  const { format, id, after, writes } = value
  if (typeof format !== 'number' || typeof id !== 'string' || id === '' || typeof after !== 'string' || !Array.isArray(writes)) return false
  return format !== KEY_EDIT_FORMAT || writes.every(isWrite)
}

function isWrite(value: unknown): value is KeyWrite {
  if (!isObject(value)) return false
  const { type, id, at, key, hash } = value
  if (type !== 'insert') return (type === 'expire' || type === 'revoke') && typeof id === 'string' && isMs(at)
  return (
    isObject(key) && typeof key.id === 'string' && typeof key.prefix === 'string' && Array.isArray(key.scopes) && typeof hash === 'string'
  )
}
