import { setTimeout as sleep } from 'node:timers/promises'
import type { StoreLink } from '../engine.ts'

// Each function injects a fault on a link, and ends it after `ms` milliseconds.

type Openable = Pick<StoreLink, 'sever' | 'setOpen'>

/** Cuts all connections and accepts no new ones. */
export async function shut(link: Openable, ms: number): Promise<void> {
  link.setOpen(false)
  link.sever()
  await sleep(ms)
  link.setOpen(true)
}

/** Delays each chunk of data in both directions. */
export async function slow(link: Pick<StoreLink, 'setDelay'>, delayMs: number, ms: number): Promise<void> {
  link.setDelay(delayMs)
  await sleep(ms)
  link.setDelay(0)
}

/** Stops all data without ending connections. */
export async function silence(link: Pick<StoreLink, 'setSilent'>, ms: number): Promise<void> {
  link.setSilent(true)
  await sleep(ms)
  link.setSilent(false)
}
