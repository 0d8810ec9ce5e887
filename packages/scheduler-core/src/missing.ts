import { shortfallOf } from './evidence.ts'

export interface Short {
  readonly need?: number | string | undefined
  readonly have?: number | string | undefined
}

/** What share of what was needed is missing: 1 where that is no amount. */
export function shareMissing(reason: Short): number {
  const amount = amountMissing(reason)
  const need = Number(reason.need)
  return amount === undefined || need <= 0 ? 1 : amount / need
}

/** How much is missing; undefined where that is no amount. */
export const amountMissing = ({ need, have }: Short): number | undefined => shortfallOf({ required: need, actual: have })
