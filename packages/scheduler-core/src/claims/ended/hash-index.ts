import type { Owner } from '../../values/owner.ts'

/**
 * A bucket has at most this many entries. The number is small, because a search reads all entries of a bucket, and a copy of the index
 * clones each bucket that it writes.
 */
const BUCKET = 256
/**
 * The initial size of the first bucket. It is small because most copies of an index replace this bucket at once, and V8 keeps arrays of up
 * to 64 bytes in its heap.
 */
const FIRST_BUCKET = 16
/**
 * At this depth, a full bucket grows instead of being split. Its entries have equal low bits of this number, so most of them probably have
 * the same hash, and a split would not separate them.
 */
const MAX_DEPTH = 26

interface Bucket {
  readonly owner: Owner
  /** All entries of the bucket have the same lowest `depth` bits of the hash. */
  readonly depth: number
  count: number
  hashes: Uint32Array
  records: Uint32Array
}

/**
 * Finds, by a 32-bit hash of a text, the records that possibly contain the text. For each record, the low 32 bits of the record's index are
 * stored. An entry has only numbers. It takes about 12 bytes, and the garbage collector does not visit it. A JavaScript Map cannot be used,
 * because it is limited to 17 million entries.
 */
export class HashIndex {
  #depth = 0
  #owner: Owner = {}
  /** The buckets, indexed by the low bits of a hash. Several positions can have the same bucket. */
  #directory: Bucket[] = [newBucket(this.#owner, 0, FIRST_BUCKET)]

  add(text: string, record: number): void {
    const hash = hashOf(text)
    let bucket = this.#own(hash)
    for (; bucket.count === bucket.hashes.length; bucket = this.#own(hash)) {
      if (bucket.hashes.length >= BUCKET && bucket.depth < MAX_DEPTH) this.#split(bucket)
      else grow(bucket)
    }
    bucket.hashes[bucket.count] = hash
    bucket.records[bucket.count] = record
    bucket.count++
  }

  /**
   * The records that possibly contain the text. The caller must compare the text itself, because a different text can have the same hash.
   */
  *find(text: string): Generator<number, void> {
    const hash = hashOf(text)
    const { count, hashes, records } = this.#bucketOf(hash)
    for (let i = 0; i < count; i++) if (hashes[i] === hash) yield records[i] as number
  }

  remove(text: string, record: number): void {
    const hash = hashOf(text)
    const bucket = this.#own(hash)
    for (let i = 0; i < bucket.count; i++) {
      if (bucket.hashes[i] !== hash || bucket.records[i] !== record >>> 0) continue
      bucket.count--
      bucket.hashes[i] = bucket.hashes[bucket.count] as number
      bucket.records[i] = bucket.records[bucket.count] as number
      return
    }
  }

  copy(): HashIndex {
    const copy = new HashIndex()
    copy.#depth = this.#depth
    copy.#directory = this.#directory.slice()
    // neither this index nor the copy owns the shared buckets; each of the two indexes clones a bucket before writing it
    this.#owner = {}
    return copy
  }

  #bucketOf(hash: number): Bucket {
    return this.#directory[lowBits(hash, this.#depth)] as Bucket
  }

  #own(hash: number): Bucket {
    const bucket = this.#bucketOf(hash)
    if (bucket.owner === this.#owner) return bucket
    const own: Bucket = { ...bucket, owner: this.#owner, hashes: bucket.hashes.slice(), records: bucket.records.slice() }
    this.#place(own, hash)
    return own
  }

  /** Stores a bucket at all its positions in the directory. */
  #place(bucket: Bucket, hash: number): void {
    for (let at = lowBits(hash, bucket.depth); at < this.#directory.length; at += 2 ** bucket.depth) this.#directory[at] = bucket
  }

  #split({ depth, count, hashes, records }: Bucket): void {
    if (depth === this.#depth) {
      this.#directory = this.#directory.concat(this.#directory)
      this.#depth++
    }
    const halves = [newBucket(this.#owner, depth + 1), newBucket(this.#owner, depth + 1)] as const
    for (let i = 0; i < count; i++) {
      const hash = hashes[i] as number
      const half = halves[((hash >>> depth) & 1) as 0 | 1]
      half.hashes[half.count] = hash
      half.records[half.count] = records[i] as number
      half.count++
    }
    const low = lowBits(hashes[0] as number, depth)
    this.#place(halves[0], low)
    this.#place(halves[1], low + 2 ** depth)
  }
}

const newBucket = (owner: Owner, depth: number, size = BUCKET): Bucket => ({
  owner,
  depth,
  count: 0,
  hashes: new Uint32Array(size),
  records: new Uint32Array(size),
})

function grow(bucket: Bucket): void {
  const larger = (from: Uint32Array): Uint32Array => {
    const to = new Uint32Array(2 * from.length)
    to.set(from)
    return to
  }
  bucket.hashes = larger(bucket.hashes)
  bucket.records = larger(bucket.records)
}

const lowBits = (hash: number, bits: number): number => hash & (2 ** bits - 1)

/** FNV-1a over code units, followed by mixing steps. Due to these steps, every bit of the text affects every bit of the hash. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
