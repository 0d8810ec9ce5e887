import type { Flushing } from './synchronizer.ts'

/** The operator's setting for how entries reach the disk. With `auto`, the service measures the duration of a flush and decides by it. */
export const sharedFlushSettings = ['auto', 'on', 'off'] as const
export type SharedFlush = (typeof sharedFlushSettings)[number]

/**
 * Flushes are shared if one takes at least this long, in milliseconds. For shorter flushes, the extra round trip costs more than sharing
 * saves (LOG-PROTOCOL 1.4).
 */
export const SHARED_FROM_MS = 0.3
const MEASURED = 11

/**
 * Decides how entries reach the disk. `flush` and `commit` are the same small transaction, with and without waiting for the disk. The
 * difference of their medians is the duration of a flush.
 */
export async function chooseFlushing(
  setting: SharedFlush,
  { flush, commit, now }: { flush(): Promise<unknown>; commit(): Promise<unknown>; now(): number },
): Promise<Flushing> {
  if (setting !== 'auto') return { isShared: setting === 'on', medianMs: null }
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const started = now()
    await work()
    return now() - started
  }
  // the first transactions open connections and fill caches
  await flush()
  await commit()
  const flushes: number[] = []
  const commits: number[] = []
  for (let i = 0; i < MEASURED; i++) {
    flushes.push(await timed(flush))
    commits.push(await timed(commit))
  }
  const medianMs = Math.round(Math.max(0, median(flushes) - median(commits)) * 1_000) / 1_000
  return { isShared: medianMs >= SHARED_FROM_MS, medianMs }
}

/** Describes the flushing in words, for operators. */
export function flushingText({ isShared, medianMs, copies }: Flushing): string {
  if (copies !== undefined)
    return `Log entries: ${copies === 1 ? 'one server has' : `most of the ${copies} servers have`} an entry before its calls are answered; no call waits for a disk.`
  const how = isShared ? 'one flush to disk serves all waiting calls' : 'each append waits for its own flush to disk'
  return medianMs === null ? `Log entries: ${how}, as GANTT_SHARED_FLUSH says.` : `Log entries: ${how}; a flush takes ${medianMs} ms.`
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
