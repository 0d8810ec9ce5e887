import type { KeptCause } from '../decision/decisions.ts'

// What NoValidHost says. Why hosts are refused is in words in the core: cause/cause-text.ts and cause/words.ts.

/** To callers that may know of hosts: the number of instances, then the cause. */
export const noHostMessage = ({ text }: KeptCause, asked: number): string =>
  `${asked === 1 ? 'No host can take the instance.' : `Not all ${asked} instances find a host.`} ${text}`

/** To projects, which learn nothing of hosts. `placed`: null if it is not known how many instances found one. */
export function projectNoHostMessage(placed: number | null, asked: number): string {
  if (asked === 1) return 'No host was found for the instance.'
  return `No host was found for ${placed === null ? `one of the ${asked} instances` : `instance ${placed + 1} of ${asked}`}.`
}
