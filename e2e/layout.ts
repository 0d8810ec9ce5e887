import { expect, type Locator } from '@playwright/test'

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * Reads until it reads the same twice: what is loaded next to or above something moves it from under the mouse. `undefined` is nothing
 * yet.
 */
export async function settled<Value>(what: string, read: () => Promise<Value | undefined>): Promise<Value> {
  let found: Value | undefined
  await expect
    .poll(async () => {
      const before = found
      found = await read()
      return found !== undefined && JSON.stringify(found) === JSON.stringify(before)
    }, `${what} stays where it is`)
    .toBe(true)
  if (found === undefined) throw new Error(`${what} is nowhere`)
  return found
}

/** Where something lies, once it stays there. */
export const boxOf = (target: Locator): Promise<Box> => settled(`${target}`, async () => (await target.boundingBox()) ?? undefined)
