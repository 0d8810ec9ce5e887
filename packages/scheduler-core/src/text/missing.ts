import { shortfallOf } from './evidence.ts'

export interface Short {
  readonly need?: number | string | undefined
  readonly have?: number | string | undefined
}

/** The missing amount as a share of the needed amount. 1 if the missing amount is undefined or `need` is not positive. */
export function shareMissing(reason: Short): number {
  const amount = amountMissing(reason)
  const need = Number(reason.need)
  return amount === undefined || need <= 0 ? 1 : amount / need
}

/** The missing amount. Undefined if `need` or `have` is not a number, or if nothing is missing. */
export const amountMissing = ({ need, have }: Short): number | undefined => shortfallOf({ required: need, actual: have })
