/** Why a filter refuses a host: the code, and the texts or amounts that the model computes. */
export interface Refusal {
  readonly code: string
  readonly need?: number | string
  readonly have?: number | string
}
