/** The service's answer instead of a result: a sentence, and the problems of invalid input. */
export interface Refusal {
  readonly message: string
  readonly issues?: readonly { readonly message: string }[]
}

/** A refusal in one line. */
export const refusalText = ({ message, issues = [] }: Refusal): string => [message, ...issues.map((issue) => issue.message)].join(' ')
