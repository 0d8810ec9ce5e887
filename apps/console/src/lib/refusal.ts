/** What the service answers in place of a result: a sentence, and where the input was wrong, what about it. */
export interface Refusal {
  readonly message: string
  readonly issues?: readonly { readonly message: string }[]
}

/** A refusal in one line. */
export const refusalText = ({ message, issues = [] }: Refusal): string => [message, ...issues.map((issue) => issue.message)].join(' ')
