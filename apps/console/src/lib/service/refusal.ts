/** The answer of the service to a call that it refused: a sentence, and the problems of invalid input. */
export interface Refusal {
  readonly message: string
  readonly issues?: readonly { readonly message: string }[]
}

/** A refusal in one line. */
export const refusalText = ({ message, issues = [] }: Refusal): string => [message, ...issues.map((issue) => issue.message)].join(' ')
