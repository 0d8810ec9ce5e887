import { age, mib } from './format.ts'
import { nameOf } from './hosts.ts'
import { shortId } from './ids.ts'
import { toTable } from './table.ts'

/** A claim as lists show it. */
export interface ClaimRow {
  readonly id: string
  readonly fence: number
  readonly state: string
  readonly expiresAt: string | null
  readonly instanceUuid: string | null
  readonly host: { readonly name: string; readonly node: string }
  readonly resources: readonly { readonly resourceClass: string; readonly amount: number }[]
}

/** Selects a ClaimRow, and what scripts may want beside it. */
export const CLAIM = `id fence state account createdAt expiresAt instanceUuid host { name node }
  resources { resourceClass amount } gpus { index milli } cells { guest cell cpus pinned memoryMb }`

/** One claim a line. */
export function toClaimTable(claims: readonly ClaimRow[]): readonly string[] {
  const nowMs = Date.now()
  return toTable(
    [
      { head: 'claim' },
      { head: 'host', cut: 'middle', least: 7, key: true },
      { head: 'state', cut: 'end', least: 9 },
      { head: 'takes', cut: 'end', least: 8 },
      { head: 'ends in', align: 'right' },
    ],
    claims.map(({ id, host, state, resources, expiresAt }) => [
      shortId(id),
      nameOf(host),
      state,
      amountOf(resources),
      expiresAt === null ? '-' : age(expiresAt, nowMs),
    ]),
  )
}

/** "4/8GiB": CPUs and memory; the rest is in the JSON. */
function amountOf(resources: ClaimRow['resources']): string {
  const amount = (name: string): number => resources.find(({ resourceClass }) => resourceClass === name)?.amount ?? 0
  return `${amount('VCPU')}/${mib(amount('MEMORY_MB')).replace(' ', '')}`
}
