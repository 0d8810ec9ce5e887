import type { HostIndex } from './host-index.ts'

/** A feed keeps at most this many changes. A reader that is further behind has to treat every host as changed. */
const MAX_KEPT = 65_536
const MIN_SIZE = 64

/** The hosts of a host table that changed, in the order of the changes. Caches of host data follow it to find what is out of date. */
export class ChangeFeed {
  /** A ring buffer: the change with the number `n` is at `n % length`. */
  #hosts = new Int32Array(0)
  #count = 0

  /** The count of all changes so far. */
  get count(): number {
    return this.#count
  }

  add(host: HostIndex): void {
    if (this.#count === this.#hosts.length && this.#count < MAX_KEPT) {
      const larger = new Int32Array(Math.max(MIN_SIZE, this.#hosts.length * 2))
      larger.set(this.#hosts)
      this.#hosts = larger
    }
    this.#hosts[this.#count % this.#hosts.length] = host
    this.#count++
  }

  /**
   * Calls `use` for the host of each change after the first `count` changes. A host that changed several times occurs several times. Returns
   * false, without a call, if the feed no longer has all of these changes.
   */
  eachAfter(count: number, use: (host: HostIndex) => void): boolean {
    if (this.#count - count > this.#hosts.length) return false
    for (let i = count; i < this.#count; i++) use(this.#hosts[i % this.#hosts.length] as HostIndex)
    return true
  }
}
