/** Why a filter refuses a host: the code, and the words or numbers of the model's own arithmetic. */
export interface Refusal {
  readonly code: string
  readonly need?: number | string
  readonly have?: number | string
}
