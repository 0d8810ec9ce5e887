import { expect, test } from 'vitest'
import type { Heard, LivenessSource } from './liveness-source.ts'

const A = { host: 'a', node: 'a' }
const NODE = { host: 'a', node: 'n1' }

/** The signs of life as a replica reads them now. */
export async function heardBy(source: LivenessSource): Promise<Heard & { readonly isMine: boolean }> {
  let seen: (Heard & { readonly isMine: boolean }) | undefined
  await source.look(async (heard, isMine) => {
    seen = { ...heard, isMine }
  })
  if (seen === undefined) throw new Error('the source was not read')
  return seen
}

/** The contract that every source of signs of life must satisfy. */
export function livenessSourceSuite(open: () => Promise<LivenessSource>): void {
  test('a sign of life is known with the store’s time, separately for each node', async () => {
    const source = await open()
    source.heard([A, NODE])
    const heard = await heardBy(source)
    for (const host of [A, NODE]) expect(heard.now - (heard.lastOf(host) ?? 0)).toBeLessThan(30_000)
    expect(heard.lastOf(A)).toBeLessThanOrEqual(heard.now)
    await source.close()
  })

  test('a source without signs of life is not an error, and a replica that checks alone may evaluate it', async () => {
    const source = await open()
    source.heard([])
    const { isMine, now, listeningSince } = await heardBy(source)
    expect(isMine).toBe(true)
    expect(listeningSince).toBeLessThanOrEqual(now)
    await source.close()
  })

  test('an error while evaluating is thrown to the caller of look, and the next call works', async () => {
    const source = await open()
    await expect(source.look(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect((await heardBy(source)).isMine).toBe(true)
    await source.close()
  })
}
