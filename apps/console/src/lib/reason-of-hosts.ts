/** The reason of several hosts, as the API counts them: `text` is the reason of the first host, with its own facts. */
interface CountedReason {
  readonly hosts: number
  readonly text: string
}

/** A sentence that is true of all counted hosts: facts about a single host are marked as such. */
export const reasonOfHosts = ({ hosts, text }: CountedReason): string => (hosts === 1 ? text : `for example: ${text}`)
