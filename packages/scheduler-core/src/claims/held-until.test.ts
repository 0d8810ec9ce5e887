import { expect, test } from 'vitest'
import { audit } from '../audit/audit.ts'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { copyFleet } from '../fleet/copy.ts'
import type { Grants } from '../records/change.ts'
import { aMove, anAttempt, aReport, aUuid, someInstances } from '../testing/index.ts'
import { HELD_RESERVATIONS } from '../values/levels.ts'
import { aNovaHost, byHand, M, OLD, plus, ROOM, S, type Size } from './testing/nova-host.ts'

const ends = byHand.filter((how) => how !== 'confirm')
const NOTHING: Size = [0, 0, 0]
const TTL_MS = 60_000

const grantsOf = ([VCPU, MEMORY_MB, DISK_GB]: Size): Grants => ({ classes: { VCPU, MEMORY_MB, DISK_GB } })

/** A host with one instance and the reservation `a`. */
function withReservation(size = S) {
  const host = aNovaHost()
  host.report(OLD, 1)
  host.reserve('a', size, { ttlMs: TTL_MS })
  return { ...host, expiresAt: host.claim('a')?.expiresAt ?? 0 }
}

test.each(ends)('after a call (%s) the amounts of a waiting reservation stay held until it would have expired', (how) => {
  const { append, call, claim, expiresAt, held, instances, lapsing, log } = withReservation()
  call(how, 'a')
  expect(claim('a')).toMatchObject({ heldUntil: expiresAt, untilCounted: null, endedAt: log.fleet.now })
  expect([held(), instances(), lapsing()]).toEqual([plus(OLD, S), 2, ['a']])
  const expire = (at: number) => append({ type: 'expire', claim: 'a' }, at - log.fleet.now)
  const { revision } = claim('a') ?? {}
  expect(expire(expiresAt - 1)).toBe('claim.not_expired')
  expect(expire(expiresAt)).toBeUndefined()
  expect([held(), instances(), lapsing()]).toEqual([OLD, 1, []])
  // the end of the hold is no change of the claim, whose end is the last one
  expect(claim('a')).toMatchObject({ heldUntil: null, extra: null, revision })
  expect(expire(expiresAt)).toBe('claim.not_expired')
})

test('a reservation that was confirmed and then released stays held until it would have expired', () => {
  const { call, claim, expiresAt, held } = withReservation()
  call('confirm', 'a')
  expect(claim('a')).toMatchObject({ state: 'CONFIRMED', expiresAt: null, heldUntil: expiresAt })
  call('release', 'a')
  expect([claim('a')?.state, held()]).toEqual(['RELEASED', plus(OLD, S)])
})

test('after its expiry, the end of a claim frees its amounts', () => {
  const { append, call, expiresAt, held, log } = withReservation()
  call('confirm', 'a')
  append({ type: 'liveness', host: 'h1', node: 'h1', state: 'UP', reason: '' }, expiresAt - log.fleet.now)
  call('release', 'a')
  expect(held()).toEqual(OLD)
})

test('a rise of the figures ends a hold in the order of expiry, as it would end the reservation', () => {
  const { call, claim, held, live, report, reserve } = withReservation()
  reserve('b', S, { ttlMs: TTL_MS + 1_000 })
  call('release', 'a')
  report(plus(OLD, S), 2)
  expect([live(), claim('a')?.heldUntil, held()]).toEqual([['b'], null, plus(OLD, S, S)])
  report(plus(OLD, S, S), 3)
  expect([live(), held()]).toEqual([[], plus(OLD, S, S)])
})

test('a released reservation that expires later than another stays held when its own instance is counted', () => {
  const { call, held, lapsing, report, reserve } = withReservation(M)
  reserve('b', S, { ttlMs: TTL_MS - 1_000 })
  call('release', 'a')
  report(plus(OLD, M), 2)
  expect([lapsing(), held()]).toEqual([['a'], plus(OLD, M, M)])
})

test.each<readonly [string, number | undefined, { isPlain?: true }, string[] | null, Size]>([
  ['below the feature level', HELD_RESERVATIONS - 1, {}, null, OLD],
  ['if the call did not ask for a reservation until its host counts the instance', undefined, { isPlain: true }, null, OLD],
  ['if the host lists its instances', undefined, {}, [], OLD],
])('%s, the end of a reservation frees its amounts', (_what, level, shape, instances, after) => {
  const host = aNovaHost(level)
  host.report(OLD, 1, { instances })
  host.reserve('a', S, shape)
  host.call('release', 'a')
  expect([host.held(), host.lapsing()]).toEqual([after, []])
})

test('only vCPUs, memory and disk stay held', () => {
  const host = aNovaHost()
  host.report(OLD, 1, { gpus: [{ index: 0 }] })
  host.reserve('a', S, { grants: { ...grantsOf(S), gpu: [{ index: 0, milli: 1_000 }] } })
  const free = () => host.log.fleet.hosts.records[0]?.gpus[0]?.freeMilli
  expect(free()).toBe(0)
  host.call('release', 'a')
  expect([free(), host.held()]).toEqual([1_000, plus(OLD, S)])
})

test.each<readonly [string, string[], Size]>([
  ['lists other instances', [aUuid(9)], OLD],
  ['lists the instance', [aUuid(1)], OLD],
])('a report that %s ends a hold', (_what, instances, after) => {
  const host = aNovaHost()
  host.report(OLD, 1)
  host.reserve('a', S, { instances: [aUuid(1)] })
  host.call('release', 'a')
  host.report(OLD, 1, { instances })
  expect([host.held(), host.lapsing()]).toEqual([after, []])
})

test('a host that leaves holds nothing', () => {
  const { append, lapsing, log } = withReservation()
  expect(append({ type: 'forget', hosts: [{ host: 'h1', node: 'h1' }], isForced: true, reason: 'test' })).toBeUndefined()
  expect([lapsing(), log.fleet.hosts.records[0]?.claims.size]).toEqual([[], 0])
})

test('a claim that moves to another host stays held on its former host until it would have expired', () => {
  const { append, call, expiresAt, claim, held } = withReservation()
  append(aReport('h2', { vcpus: 16, memoryMb: 65_536, localGb: 1_000 }))
  const source = { claim: 'a', fence: claim('a')?.fence ?? 0 }
  expect(append(aMove({ key: 'm', ids: ['m'], hosts: ['h2'], source, grants: grantsOf(S) }))).toBeUndefined()
  call('confirm', 'm')
  expect([claim('a'), held()]).toMatchObject([{ state: 'RELEASED', reason: 'moved', heldUntil: expiresAt }, plus(OLD, S)])
})

test('a further attempt cannot use amounts of the attempt before it that stay held', () => {
  const host = aNovaHost()
  host.report(plus([9_996, 100, 10]), 1)
  const { append, held, claim } = host
  append(aReport('h2', { vcpus: 16, memoryMb: 65_536, localGb: 1_000 }))
  const shape = { ids: ['one'], instances: [aUuid(1)], untilCounted: true } as const
  append(someInstances({ ...shape, key: 'one', hosts: ['h2'] }))
  const source = { claim: 'one', fence: claim('one')?.fence ?? 0 }
  append(anAttempt({ ...shape, key: 'two', ids: ['two'], hosts: ['h1'], grants: grantsOf(S), source, ends: null }))
  const before = held()
  const again = (size: Size, key: string) =>
    append(
      anAttempt({
        ...{ ...shape, key, ids: [key], hosts: ['h1'], grants: grantsOf(size), source },
        ends: { claim: 'two', fence: claim('two')?.fence ?? 0 },
      }),
    )
  expect(again(M, 'three')).toBe('claim.no_room')
  expect(held()).toEqual(before)
  expect(again(S, 'four')).toBeUndefined()
  expect(held()).toEqual(plus(before, S))
})

test('after a resize to less on its own host, the difference stays held, and later the rest, until the reservation would have expired', () => {
  const { append, call, claim, expiresAt, held, instances, lapsing, log, report } = withReservation(M)
  const source = { claim: 'a', fence: claim('a')?.fence ?? 0 }
  expect(append(aMove({ key: 'm', ids: ['m'], hosts: ['h1'], source, grants: grantsOf(S), intent: 'RESIZE' }))).toBeUndefined()
  expect(held()).toEqual(plus(OLD, M))
  call('confirm', 'm')
  expect([held(), instances(), lapsing()]).toEqual([plus(OLD, M), 2, ['a']])
  report(OLD, 1)
  call('release', 'm')
  expect([held(), instances(), lapsing()]).toEqual([plus(OLD, M), 2, ['a', 'm']])
  for (const id of ['a', 'm']) expect(append({ type: 'expire', claim: id }, Math.max(0, expiresAt - log.fleet.now))).toBeUndefined()
  expect([held(), instances()]).toEqual([OLD, 1])
})

test('holds are in checkpoints and copies, and the auditor finds nothing', () => {
  const { append, call, expiresAt, log } = withReservation()
  call('release', 'a')
  const { fleet } = log
  const restored = restoreFleet(JSON.parse(JSON.stringify(checkpointOf(fleet))))
  const copy = copyFleet(fleet)
  expect(append({ type: 'expire', claim: 'a' }, expiresAt - fleet.now)).toBeUndefined()
  for (const one of [restored, copy]) {
    expect([...one.ledger.lapsing.keys()]).toEqual(['a'])
    expect(one.hosts.classColumns('VCPU').free[0]).toBe(ROOM.vcpus - OLD[0] - S[0])
    expect([...audit(one)].flatMap(({ findings }) => findings)).toEqual([])
  }
  expect([...audit(fleet)].flatMap(({ findings }) => findings)).toEqual([])
  expect(fleet.ledger.lapsing.size).toBe(0)
})

test('a hold also counts on a host whose usage is computed from claims', () => {
  const host = aNovaHost()
  host.report(NOTHING, 0)
  host.append({ type: 'usedFrom', host: 'h1', node: 'h1', usedFrom: 'CLAIMS', reason: 'test' })
  host.reserve('a', S)
  host.call('release', 'a')
  expect(host.held()).toEqual(S)
})
