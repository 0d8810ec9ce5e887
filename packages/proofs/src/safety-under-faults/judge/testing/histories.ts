import type { Operation } from '../../history.ts'
import { claimOn, evidence, findingsOf, ok, op, placed, placing, puts, reports, shows, stands } from '../../testing/evidence.ts'
import type { Evidence } from '../rule.ts'

export const released = { state: 'RELEASED' as const }
export const edit = (at: number, ifVersion: number, version: number): Operation =>
  op(at, { type: 'aggregate', uuid: 'g', ifVersion }, ok({ type: 'edited', version }))
export const status = (at: number, to: 'ENABLED' | 'DISABLED'): Operation =>
  op(at, { type: 'status', host: 'a', status: to }, ok({ type: 'done' }))

export const leaves = (at: number, how: 'forget' | 'force' | 'readmit' | 'replace', by: string | null = null): Operation =>
  op(at, { type: 'leave', host: 'b', how, as: 'b', by }, ok({ type: 'done' }))

/** A call with which an operator reserves this many CPUs of host b. Null removes the reserved amount. */
export const keeps = (at: number, reserved: number | null, outcome = ok({ type: 'done' })): Operation =>
  op(at, { type: 'allocate', host: 'b', as: 'b', resourceClass: 'VCPU', ratio: null, reserved }, outcome)
/** The final hosts: host a without claims, and host b with this capacity and one claimed CPU. */
export const mayGive = (capacity: number) => ({
  hosts: [hostShown('a', { used: 1 }), { ...hostShown('b', { claimed: 1 }), classes: { VCPU: { capacity, used: 0, claimed: 1 } } }],
})

/** A host in the answer of a replica. */
export const hostShown = (
  name: string,
  { used = 0, claimed = 0, freeGpus = 2 }: { used?: number; claimed?: number; freeGpus?: number },
) => ({
  name,
  classes: { VCPU: { capacity: 4, used, claimed } },
  freeUnits: { GPU: freeGpus },
})
/** The final hosts: host a without claims, and host b with the given amounts. */
export const showingB = (b: Parameters<typeof hostShown>[1]) => ({ hosts: [hostShown('a', { used: 1 }), hostShown('b', b)] })
export const full = (at: number, key: string, fence: number): Operation => puts(at, key, 'b', fence, { amounts: { VCPU: 3 } })
export const gpu = { amounts: { VCPU: 1, GPU: 1 } }
export const materialised = { state: 'MATERIALISED' as const }

export const move = (at: number): Operation =>
  op(
    at,
    placing('m', { instances: ['i-x'], moveOf: { id: 'c-i-x', fence: 1 } }),
    placed([{ ...claimOn('b', 'i-x', 5), id: 'c-m' }], { revision: 5 }),
  )
export const confirmMove = op(
  4,
  { type: 'confirm', claims: [{ id: 'c-m', fence: 5 }], ttlMs: 0 },
  ok({ type: 'ends', results: [{ end: 'done', revision: 6 }] }),
)

/** A further attempt to place the instance `i-x`, while its move to host b is not finished. */
export const attempt = (at: number, host: string): Operation =>
  op(
    at,
    placing('r', {
      instances: ['i-x'],
      moveOf: { id: 'c-i-x', fence: 1 },
      attempt: { type: 'retry', tried: ['a', 'b'], ends: { id: 'c-m', fence: 5 } },
    }),
    placed([{ ...claimOn(host, 'i-x', 9), id: 'c-r' }], { revision: 9 }),
  )
export const atMove = { ...stands('b', 'x', 5), id: 'c-m', moveOf: 'c-i-x' }
export const atAttempt = { ...stands('b', 'x', 9), id: 'c-r', moveOf: 'c-i-x' }

export const onTwoHosts = evidence(
  [puts(0, 'x', 'b', 1), reports(2, 'a', ['i-x'], { VCPU: 2 })],
  shows([stands('b', 'x', 1, materialised)], { hosts: [hostShown('a', { used: 2 }), hostShown('b', { used: 1 })] }),
)
/** Replaces the correct findings in the given evidence by these findings. */
export const finding = (findings: Parameters<typeof findingsOf>[0], given: Evidence): Evidence => ({
  ...given,
  finals: given.finals.map((final) => ({ ...final, ...findingsOf(findings) })),
})
