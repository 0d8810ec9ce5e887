import { expect, type Locator } from '@playwright/test'

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * Reads until two reads are equal, because content that is loaded next to or above an element moves it under the mouse.
 * `undefined` means not yet.
 */
export async function settled<Value>(what: string, read: () => Promise<Value | undefined>): Promise<Value> {
  let found: Value | undefined
  await expect
    .poll(async () => {
      const before = found
      found = await read()
      return found !== undefined && JSON.stringify(found) === JSON.stringify(before)
    }, `${what} does not move`)
    .toBe(true)
  if (found === undefined) throw new Error(`${what} is nowhere`)
  return found
}

/** The position of an element, once it no longer moves. */
export const boxOf = (target: Locator): Promise<Box> => settled(`${target}`, async () => (await target.boundingBox()) ?? undefined)
