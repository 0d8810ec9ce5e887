/** Why a filter refuses a host: the code, and the words or numbers that the model computes itself. */
export interface Refusal {
  readonly code: string
  readonly need?: number | string
  readonly have?: number | string
}
