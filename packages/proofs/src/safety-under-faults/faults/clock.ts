import { writeFileSync } from 'node:fs'

/** The wall clock of a process, which a test can change from outside. The monotonic clock is unchanged, as on real machines. */
export interface WallClock {
  /** The settings with which a Node process uses this clock. */
  readonly settings: Readonly<Record<string, string>>
  /** Sets by how many milliseconds the clock is ahead. The new value takes effect when the process gets the returned signal. */
  set(aheadMs: number): NodeJS.Signals
}

/** Code that the process loads before the service. It replaces the wall clock, so that the service needs no change. */
const PRELOAD = `
import fs from 'node:fs'
const real = Date.now
let ahead = 0
const read = () => { ahead = Number(fs.readFileSync(process.env.GANTT_NEMESIS_CLOCK, 'utf8')) }
read()
process.on('SIGUSR2', read)
Date.now = () => real() + ahead
globalThis.Date = new Proxy(Date, { construct: (date, given, target) => Reflect.construct(date, given.length > 0 ? given : [Date.now()], target) })
`

/** Creates a clock. `file` stores by how much the clock is ahead, so that a restarted process has the same clock. */
export function createWallClock(file: string): WallClock {
  const set = (aheadMs: number): NodeJS.Signals => {
    writeFileSync(file, String(aheadMs))
    return 'SIGUSR2'
  }
  set(0)
  return {
    settings: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(PRELOAD)}`, GANTT_NEMESIS_CLOCK: file },
    set,
  }
}
