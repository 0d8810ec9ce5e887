import type { Fleet } from '../../fleet/fleet.ts'
import type { FilterCount } from '../../records/decision.ts'
import type { PreparedFilter } from '../../text/prepared-filter.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { Steps } from '../../values/steps.ts'
import { GONE, PASSES } from '../best-hosts/request-class.ts'
import type { FilterStep } from './filter-step.ts'
import { passesSafely } from './passes-safely.ts'
import { cachedVerdicts, type HostBits, wordsFor } from './verdict-cache.ts'

/**
 * Runs filters over all present hosts, with cached verdicts for the steps that have a `cacheName`. Calls each filter only for remaining
 * hosts, and only if the verdict is not cached. The result is the same as without a cache. Yields after about `slice` calls of filters. The
 * fleet must not change until the generator ends.
 */
export function* runCachedInSteps(
  asked: readonly FilterStep[],
  fleet: Fleet,
  slice: number,
  onRefused?: OnRefused,
): Steps<{ readonly hosts: Int32Array; readonly steps: readonly FilterCount[] }> {
  const left = presentBits(fleet)
  let entered = fleet.hosts.presentCount
  const counts: FilterCount[] = []
  let calls = 0
  for (const [filter, { name, prepared, cacheName }] of asked.entries()) {
    let errors = prepared === undefined ? entered : 0
    if (prepared === undefined) left.fill(0)
    else {
      const verdicts = cacheName === undefined ? undefined : cachedVerdicts(fleet, cacheName)
      for (let word = 0; word < left.length; word++) {
        const hosts = left[word] as number
        if (hosts === 0) continue
        const unknown = verdicts === undefined ? hosts : hosts & ~(verdicts.known[word] as number)
        let [passed, failed] = [0, 0]
        if (unknown !== 0) {
          if (calls >= slice) {
            yield
            calls = 0
          }
          calls += countBits(unknown)
          ;[passed, failed] = ask(prepared, word, unknown)
        }
        if (verdicts !== undefined) {
          if (unknown !== 0) {
            verdicts.known[word] = (verdicts.known[word] as number) | unknown
            verdicts.passed[word] = ((verdicts.passed[word] as number) & ~unknown) | passed
            verdicts.failed[word] = ((verdicts.failed[word] as number) & ~unknown) | failed
          }
          passed = verdicts.passed[word] as number
          failed = verdicts.failed[word] as number
        }
        errors += countBits(hosts & failed)
        left[word] = hosts & passed
        if (onRefused !== undefined && (hosts & ~passed) !== 0) onRefused(filter, word, hosts & ~passed, failed)
      }
    }
    const passed = countAll(left)
    counts.push({ filter: name, entered, passed, ...(errors > 0 && { errors }) })
    entered = passed
  }
  return { hosts: hostsIn(left, entered), steps: counts }
}

/** Called for hosts that a filter refuses first: with the index of the filter, the index of a word, and the hosts in this word. */
type OnRefused = (filter: number, word: number, refused: number, failed: number) => void

/**
 * For each host, a verdict in the form of `RequestClass`: the first of the filters with cached verdicts that refuses the host. The filters
 * without cached verdicts are left out. Yields like `runCachedInSteps`.
 */
export function* firstRefusals(asked: readonly FilterStep[], fleet: Fleet, slice: number): Steps<Uint8Array> {
  const { count, columns } = fleet.hosts
  const verdicts = new Uint8Array(Math.ceil(count * 1.25)).fill(GONE)
  for (let host = 0; host < count; host++) if (columns.gone[host] === 0) verdicts[host] = PASSES
  const indexes = [...asked.keys()].filter((index) => asked[index]?.cacheName !== undefined)
  const kept = indexes.map((index) => asked[index] as FilterStep)
  const note: OnRefused = (filter, word, refused, failed) => {
    const verdict = 2 * (indexes[filter] as number)
    for (let bits = refused; bits !== 0; bits &= bits - 1) {
      const bit = bits & -bits
      verdicts[word * 32 + positionOf(bit)] = (failed & bit) === 0 ? verdict : verdict + 1
    }
  }
  yield* runCachedInSteps(kept, fleet, slice, note)
  return verdicts
}

/** Calls a filter for the hosts of a word. Returns the bits of the hosts that passed, and of those for which the filter failed. */
function ask(prepared: PreparedFilter, word: number, hosts: number): readonly [passed: number, failed: number] {
  let [passed, failed] = [0, 0]
  for (let bits = hosts; bits !== 0; bits &= bits - 1) {
    const bit = bits & -bits
    const verdict = passesSafely(prepared, (word * 32 + positionOf(bit)) as HostIndex)
    if (verdict === undefined) failed |= bit
    else if (verdict) passed |= bit
  }
  return [passed, failed]
}

function presentBits({ hosts: { count, isWhole, presentIndexes } }: Fleet): HostBits {
  const bits = new Uint32Array(wordsFor(count))
  if (isWhole) {
    bits.fill(0xffff_ffff)
    if (count % 32 !== 0) bits[bits.length - 1] = 2 ** (count % 32) - 1
  } else for (const host of presentIndexes) bits[host >>> 5] = (bits[host >>> 5] as number) | (1 << (host & 31))
  return bits
}

function hostsIn(left: HostBits, count: number): Int32Array {
  const hosts = new Int32Array(count)
  let next = 0
  for (let word = 0; word < left.length; word++)
    for (let bits = left[word] as number; bits !== 0; bits &= bits - 1) hosts[next++] = word * 32 + positionOf(bits & -bits)
  return hosts
}

function countAll(bits: HostBits): number {
  let count = 0
  for (const word of bits) count += countBits(word)
  return count
}

/** The position of the only bit that is set: 0 to 31. */
const positionOf = (bit: number): number => 31 - Math.clz32(bit)

/** How many of the 32 bits of a number are set. Adds the bits in pairs, then in groups of four, eight and more. */
function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x5555_5555)
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}
