/** The clocks of two programs can differ by this much, in seconds. */
const SKEW_SECONDS = 60

/** How old something is, in seconds. Throws an error if its time is in the future: then its age is not known, and it could be very old. */
export function ageOf(what: string, ms: number, now = Date.now()): number {
  const seconds = (now - ms) / 1_000
  if (seconds < -SKEW_SECONDS)
    throw new Error(`${what} is dated ${Math.floor(-seconds)} s in the future; its time must not be later than the clock of this machine`)
  return seconds
}

/** Throws an error if something is too old, or if its time is in the future. */
export function checkAge(what: string, ms: number, maxSeconds: number, now = Date.now()): void {
  const seconds = ageOf(what, ms, now)
  if (seconds > maxSeconds) throw new Error(`${what} is ${Math.floor(seconds)} s old, and may be ${maxSeconds} s old`)
}
