/** Why several hosts were refused, as the API counts them: `text` is the reason of the first of them, with its own particulars. */
interface CountedReason {
  readonly hosts: number
  readonly text: string
}

/** A sentence that is true of all that are counted: what is known of one host is said as being of one. */
export const reasonOfHosts = ({ hosts, text }: CountedReason): string => (hosts === 1 ? text : `for one: ${text}`)
