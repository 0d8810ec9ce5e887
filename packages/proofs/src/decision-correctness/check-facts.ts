import type { Fact } from '@gantt/scheduler-core'
import { difference } from './difference.ts'
import type { Refusal } from './model/refusal.ts'

/**
 * Checks the facts of a refusal. The first fact must have the required and the actual amount that the model computes for the refusal. If a
 * fact lists the terms of its actual amount, (total - reserved) x ratio - used - claimed must be equal to this amount.
 */
export function compareFacts(path: string, facts: readonly Fact[], { need, have }: Refusal): string | undefined {
  const [first] = facts
  const found = { ...(typeof need === 'number' && { need: first?.required }), ...(typeof have === 'number' && { have: first?.actual }) }
  const expected = { ...(typeof need === 'number' && { need }), ...(typeof have === 'number' && { have }) }
  const inFirst = difference(`${path}.first fact`, found, expected)
  if (inFirst !== undefined) return inFirst
  for (const { subject, actual, terms = [] } of facts) {
    const term = (name: string): bigint | undefined => {
      const value = terms.find((one) => one.name === name)?.value
      return value === undefined ? undefined : BigInt(Math.round(value * 1_000))
    }
    const [total, reserved = 0n, ratio, used, claimed] = ['total', 'reserved', 'ratio', 'used', 'claimed'].map(term)
    if (total === undefined || ratio === undefined || used === undefined || claimed === undefined) continue
    const rest = total > reserved ? total - reserved : 0n
    const left = (rest * ratio) / 1_000_000n - used / 1_000n - claimed / 1_000n
    const inTerms = difference(`${path}.terms of ${subject}`, actual, Number(left))
    if (inTerms !== undefined) return inTerms
  }
  return undefined
}
