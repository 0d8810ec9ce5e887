/** One reason that several hosts have in common. `text` is the reason of the first host, with the amounts of that host. */
interface CountedReason {
  readonly hosts: number
  readonly text: string
}

/**
 * The reason as a text about all counted hosts. If there are several hosts, the text says that the reason of the first host is an example.
 */
export const reasonOfHosts = ({ hosts, text }: CountedReason): string => (hosts === 1 ? text : `for example: ${text}`)
