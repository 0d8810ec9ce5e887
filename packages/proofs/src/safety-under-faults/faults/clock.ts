import { writeFileSync } from 'node:fs'

/** The wall clock of a process, which can be set from outside. Its monotonic clock goes on as it is, as on real machines. */
export interface WallClock {
  /** With these settings a Node process starts on this clock. */
  readonly settings: Readonly<Record<string, string>>
  /** Milliseconds that it is ahead from now on. The process has to be told by the signal that is returned. */
  set(aheadMs: number): NodeJS.Signals
}

/** Runs in the process before anything else; the service knows nothing of it. */
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

/** `file` keeps how far it is ahead, so that a process that is started again goes on with it. */
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
