import { setTimeout as sleep } from 'node:timers/promises'
import type { StoreLink } from '../engine.ts'

// What is done to a link for some milliseconds, and undone.

type Openable = Pick<StoreLink, 'sever' | 'setOpen'>

/** Cuts what is there, and lets nothing new through. */
export async function shut(link: Openable, ms: number): Promise<void> {
  link.setOpen(false)
  link.sever()
  await sleep(ms)
  link.setOpen(true)
}

/** Each piece takes longer, both ways. */
export async function slow(link: Pick<StoreLink, 'setDelay'>, delayMs: number, ms: number): Promise<void> {
  link.setDelay(delayMs)
  await sleep(ms)
  link.setDelay(0)
}

/** Nothing arrives and nothing ends. */
export async function silence(link: Pick<StoreLink, 'setSilent'>, ms: number): Promise<void> {
  link.setSilent(true)
  await sleep(ms)
  link.setSilent(false)
}
