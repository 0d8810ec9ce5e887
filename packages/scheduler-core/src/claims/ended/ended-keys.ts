import type { HostTable } from '../../hosts/hosts.ts'
import type { Claim } from '../../records/claim.ts'
import { EndedChunk } from './ended-chunk.ts'
import { type EndedKey, readEnded, readNames, writeEnded } from './ended-record.ts'
import { HashIndex } from './hash-index.ts'

/** The count of records in a chunk. Copies of a fleet share chunks, and a checkpoint stores each chunk as one text. */
export const CHUNK = 1_024

/** Ended keys in a checkpoint as chunks, the oldest first. The first chunk begins with `forgotten` records whose retention time is over. */
export interface StoredEndedKeys {
  readonly forgotten: number
  readonly chunks: readonly (EndedChunk | string)[]
}

/**
 * Idempotency keys whose claims have all ended, together with their claims, in the order in which the keys ended. They are packed into
 * bytes to save memory: 5,000 placements a second create 18 million keys an hour, and only a call that is repeated after its claims have
 * ended reads its record. Used since feature level 8.
 */
export class EndedKeys {
  #hosts: HostTable
  /** Full chunks, the oldest first. Chunks are immutable. */
  #chunks: readonly EndedChunk[] = []
  /**
   * The count of chunks at the front of `#chunks` whose records are all forgotten. These chunks are removed when they are more than half of
   * the list.
   */
  #gone = 0
  /** The records after the last full chunk. */
  #latest: Uint8Array[] = []
  /** True if a copy shares `#latest`. The list must then be copied before a write. */
  #isShared = false
  /** The index of the first record in `#chunks`. A multiple of CHUNK. */
  #base = 0
  /** The index of the oldest key that is not forgotten. */
  #first = 0
  #claims = 0
  #byKey = new HashIndex()
  #byClaim = new HashIndex()
  /** The record that was read last. It is cached because the claims of a large request are often read consecutively. */
  #unpacked: { readonly record: number; readonly ended: EndedKey; readonly claims: ReadonlyMap<string, Claim> } | undefined

  constructor(hosts: HostTable) {
    this.#hosts = hosts
  }

  /** The count of ended keys that are not forgotten. */
  get size(): number {
    return this.#next - this.#first
  }

  /** The count of claims of the ended keys that are not forgotten. */
  get claimCount(): number {
    return this.#claims
  }

  add(ended: EndedKey): void {
    const bytes = writeEnded(this.#hosts, ended)
    this.#index(this.#next, bytes)
    if (this.#isShared) this.#latest = this.#latest.slice()
    this.#isShared = false
    this.#latest.push(bytes)
    if (this.#latest.length < CHUNK) return
    this.#chunks = [...this.#chunks, EndedChunk.of(this.#latest)]
    this.#latest = []
  }

  find(account: string, key: string): EndedKey | undefined {
    for (const low of this.#byKey.find(nameOf(account, key))) {
      const record = this.#numberOf(low)
      const names = readNames(this.#bytes(record))
      if (names.account === account && names.key === key) return this.#read(record)
    }
    return undefined
  }

  findClaim(id: string): Claim | undefined {
    const known = this.#unpacked?.claims.get(id)
    if (known !== undefined) return known
    for (const low of this.#byClaim.find(id)) {
      const record = this.#numberOf(low)
      if (!readNames(this.#bytes(record)).claims.includes(id)) continue
      this.#read(record)
      return this.#unpacked?.claims.get(id)
    }
    return undefined
  }

  *[Symbol.iterator](): Generator<EndedKey, void> {
    // the caller can forget records between two steps; the loop therefore continues at the first remaining record
    for (let record = this.#first; record < this.#next; record = Math.max(record + 1, this.#first)) yield this.#read(record)
  }

  /** Forgets the keys that ended at or before a store time. Returns the ids of their claims. */
  forget(endedAt: number): string[] {
    const claims: string[] = []
    for (; this.#first < this.#next; this.#first++) {
      const names = readNames(this.#bytes(this.#first))
      if (names.endedAt > endedAt) break
      this.#byKey.remove(nameOf(names.account, names.key), this.#first)
      for (const id of names.claims) this.#byClaim.remove(id, this.#first)
      this.#claims -= names.claims.length
      claims.push(...names.claims)
      if ((this.#first + 1) % CHUNK === 0) this.#gone++
    }
    if (this.#unpacked !== undefined && this.#unpacked.record < this.#first) this.#unpacked = undefined
    if (2 * this.#gone > this.#chunks.length) {
      this.#chunks = this.#chunks.slice(this.#gone)
      this.#base += this.#gone * CHUNK
      this.#gone = 0
    }
    return claims
  }

  /** The ended keys in the form for a checkpoint. The result shares the packed chunks with this object. The chunks are not unpacked. */
  stored(): StoredEndedKeys {
    const chunks = this.#chunks.slice(this.#gone)
    return { forgotten: this.#first % CHUNK, chunks: this.#latest.length === 0 ? chunks : [...chunks, EndedChunk.of(this.#latest)] }
  }

  /** Restores the ended keys from a checkpoint, one chunk in each step. */
  *restore({ forgotten, chunks }: StoredEndedKeys): Generator<void, void> {
    this.#first = forgotten
    for (const [i, stored] of chunks.entries()) {
      const chunk = EndedChunk.from(stored)
      const records = [...chunk.records()]
      if (records.length === CHUNK) this.#chunks = [...this.#chunks, chunk]
      else this.#latest = records
      for (const [at, bytes] of records.entries()) if (i * CHUNK + at >= forgotten) this.#index(i * CHUNK + at, bytes)
      yield
    }
  }

  copyFor(hosts: HostTable): EndedKeys {
    const copy = new EndedKeys(hosts)
    copy.#chunks = this.#chunks
    copy.#gone = this.#gone
    copy.#latest = this.#latest
    copy.#isShared = true
    this.#isShared = true
    copy.#base = this.#base
    copy.#first = this.#first
    copy.#claims = this.#claims
    copy.#byKey = this.#byKey.copy()
    copy.#byClaim = this.#byClaim.copy()
    return copy
  }

  /** The full index of a record, computed from the low 32 bits that `#byKey` and `#byClaim` store. The record must not be forgotten. */
  #numberOf(low: number): number {
    return this.#first + ((low - (this.#first >>> 0)) >>> 0)
  }

  get #next(): number {
    return this.#base + this.#chunks.length * CHUNK + this.#latest.length
  }

  #index(record: number, bytes: Uint8Array): void {
    const { account, key, claims } = readNames(bytes)
    this.#byKey.add(nameOf(account, key), record)
    for (const id of claims) this.#byClaim.add(id, record)
    this.#claims += claims.length
  }

  #read(record: number): EndedKey {
    if (this.#unpacked?.record === record) return this.#unpacked.ended
    const ended = readEnded(this.#hosts, this.#bytes(record))
    this.#unpacked = { record, ended, claims: new Map(ended.claims.map((claim) => [claim.id, claim])) }
    return ended
  }

  #bytes(record: number): Uint8Array {
    const at = record - this.#base
    const chunk = this.#chunks[Math.floor(at / CHUNK)]
    return chunk === undefined ? (this.#latest[at - this.#chunks.length * CHUNK] as Uint8Array) : chunk.record(at % CHUNK)
  }
}

const nameOf = (account: string, key: string): string => `${account}\u0000${key}`
