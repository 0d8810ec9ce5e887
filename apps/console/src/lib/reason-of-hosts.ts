/** One reason that several hosts have in common. `text` is the reason of the first host, with the amounts of that host. */
interface CountedReason {
  readonly hosts: number
  readonly text: string
}

/** A sentence about all counted hosts. If there are several hosts, the amounts of the first host are marked as an example. */
export const reasonOfHosts = ({ hosts, text }: CountedReason): string => (hosts === 1 ? text : `for example: ${text}`)
