import type { KeptCause } from '../decision/decisions.ts'

// The message of the answer NoValidHost. The core writes the sentences about refused hosts (cause/cause-text.ts, cause/words.ts).

/** The message for callers that may read hosts: that nothing is placed, then the cause. */
export const noHostMessage = ({ text }: KeptCause, asked: number): string =>
  `${asked === 1 ? 'No host can take the instance.' : `The ${asked} instances are not placed.`} ${text}`

/** The message for projects. It contains no data about hosts. `placed` is null if the count of placed instances is unknown. */
export function projectNoHostMessage(placed: number | null, asked: number): string {
  if (asked === 1) return 'No host was found for the instance.'
  return `No host was found for ${placed === null ? `one of the ${asked} instances` : `instance ${placed + 1} of ${asked}`}.`
}
