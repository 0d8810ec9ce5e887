import { inspect } from 'node:util'
import { expect } from 'vitest'
import type { Call, CallRecord, Case, Expectation, Played, Table } from '../../../../clients/cases/server.d.mts'
import {
  type ClaimCreateInput,
  type ClaimRef,
  type Clock,
  createGantt,
  FaultError,
  type FullStats,
  type Gantt,
  ProtocolError,
  RefusedError,
  type ResourceName,
  type SelectDestinationsInput,
  systemClock,
  UnknownOutcomeError,
  UnreachableError,
} from '../index.ts'

/** A clock that advances only by waits, which end at once and are listed. No case therefore depends on how busy the machine is. */
function skippingClock(): Clock & { takeWaits(): readonly number[] } {
  let now = 0
  let waits: number[] = []
  return {
    now: () => now,
    async wait(ms, signal) {
      waits.push(ms)
      await systemClock.wait(0, signal)
      now += ms
    },
    takeWaits() {
      const taken = waits
      waits = []
      return taken
    },
  }
}

/** The limits of calls, unless a case has its own: so long that no machine reaches them. */
const LIMITS = { deadlineMs: 600_000, attemptMs: 600_000 }

/** Makes the calls of a case, and checks each outcome and what the endpoints received. `fetchOfClient` is what the client sends calls with. */
export async function runCase(
  table: Table,
  { client = {}, calls }: Case,
  { urls, control }: Pick<Played, 'urls' | 'control'>,
  fetchOfClient?: typeof fetch,
): Promise<void> {
  const { keys = ['key-1'], ...settings } = client
  const clock = skippingClock()
  let reads = 0
  const key = (): string => keys[Math.min(reads++, keys.length - 1)] ?? ''
  const gantt = createGantt({
    url: urls,
    key,
    clock,
    random: () => 0.5,
    ...LIMITS,
    ...settings,
    ...(fetchOfClient && { fetch: fetchOfClient }),
  })
  const drawnKeys = new Set<string>()
  let known = 0
  for (const call of calls)
    for (let i = 0; i < (call.times ?? 1); i++) {
      clock.takeWaits()
      const outcome = await outcomeOf(make(gantt, table, call), keys)
      const waits = clock.takeWaits()
      expect(outcome, `call ${i + 1} of ${call.operation}`).toMatchObject(outcomeIn(call.expect))
      for (const [endpoint, number] of call.expect.closedByClient ?? []) {
        const waited = await fetch(`${control}/wait?endpoint=${endpoint}&call=${number}&event=closed`)
        expect(waited.status, `call ${number} of endpoint ${endpoint} is closed by the client`).toBe(200)
      }
      const records = await recordsAt(control)
      checkRecords(call, records.slice(known), drawnKeys)
      known = records.length
      for (const [endpoint, number] of call.expect.closedByClient ?? [])
        expect(records.find((record) => record.endpoint === endpoint && record.call === number)).toMatchObject({ closedByClient: true })
      for (const [at, { atLeastMs = 0, lessThanMs = Infinity }] of (call.expect.pauses ?? []).entries()) {
        expect(waits[at], 'the pause before a retry').toBeGreaterThanOrEqual(atLeastMs)
        expect(waits[at], 'the pause before a retry').toBeLessThan(lessThanMs)
      }
    }
}

async function recordsAt(control: string): Promise<readonly CallRecord[]> {
  const { records } = (await (await fetch(`${control}/records`)).json()) as { readonly records: readonly CallRecord[] }
  return records
}

/** Makes a call, and returns its answer. The inputs of the table have the types that the client expects. */
async function make(gantt: Gantt, { inputs }: Table, { operation, idempotencyKey, paddingBytes }: Call): Promise<unknown> {
  const key = idempotencyKey === undefined ? {} : { idempotencyKey }
  switch (operation) {
    case 'select': {
      const { spec } = inputs.select as { readonly spec: { readonly gantt: object } }
      const padding = paddingBytes === undefined ? {} : { projectId: 'x'.repeat(paddingBytes) }
      return await gantt.selectDestinations({ spec: { gantt: { ...spec.gantt, ...padding } }, ...key } as SelectDestinationsInput)
    }
    case 'claim':
      return await gantt.claim({ ...(inputs.claim as Pick<ClaimCreateInput, 'decisionId' | 'host'>), ...key })
    case 'confirm': {
      const [answer] = await gantt.confirm((inputs.confirm as { readonly claims: readonly ClaimRef[] }).claims)
      return answer
    }
    case 'report': {
      const { name, full } = inputs.report as { readonly name: ResourceName; readonly full: FullStats }
      return await gantt.reporter({ name, full: () => full }).report()
    }
  }
}

/** The fields of `expect` that are about the answer or the error. */
function outcomeIn({ answer, error, claim, replayed, code, status, idempotencyKey, cause }: Expectation): Expectation {
  return {
    ...(answer !== undefined && { answer }),
    ...(error !== undefined && { error }),
    ...(claim !== undefined && { claim }),
    ...(replayed !== undefined && { replayed }),
    ...(code !== undefined && { code }),
    ...(status !== undefined && { status }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(cause !== undefined && { cause: outcomeIn(cause) }),
  }
}

/** The outcome of a call. Throws if an error shows one of the API keys. */
async function outcomeOf(answer: Promise<unknown>, keys: readonly string[]): Promise<Expectation> {
  try {
    return described((await answer) as Answer)
  } catch (error) {
    const shown = `${error} ${inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })}`
    for (const key of keys) expect(shown, 'no error shows an API key').not.toContain(key)
    return kindOf(error)
  }
}

interface Answer {
  readonly __typename: string
  readonly replayed?: boolean
  readonly claim?: { readonly id: string } | null
  readonly destinations?: readonly { readonly selected: { readonly claim: { readonly id: string } | null } }[]
}

function described({ __typename, replayed, claim, destinations }: Answer): Expectation {
  const id = claim?.id ?? destinations?.[0]?.selected.claim?.id
  return { answer: __typename, ...(replayed !== undefined && { replayed }), ...(id !== undefined && { claim: id }) }
}

/** The error in the words of the table. Throws errors that no case expects. */
function kindOf(error: unknown): Expectation {
  if (error instanceof UnreachableError) return { error: 'UNREACHABLE' }
  if (error instanceof ProtocolError) return { error: 'PROTOCOL', status: error.status }
  if (error instanceof FaultError) return { error: 'FAULT', ...(error.code !== undefined && { code: error.code }) }
  if (error instanceof RefusedError) return { answer: error.answer.__typename }
  if (error instanceof UnknownOutcomeError)
    return { error: 'UNKNOWN_OUTCOME', idempotencyKey: error.idempotencyKey, cause: kindOf(error.cause) }
  throw error
}

/** Checks what the endpoints received for one call. `drawnKeys` has the keys that the client drew for earlier calls. */
export function checkRecords(
  { operation, idempotencyKey, expect: wanted }: Call,
  records: readonly CallRecord[],
  drawnKeys: Set<string>,
): void {
  expect(records.filter(({ isExpected }) => !isExpected)).toEqual([])
  if (wanted.order !== undefined) expect(records.map(({ endpoint }) => endpoint)).toEqual(wanted.order)
  if (wanted.receivedBy !== undefined) expect(records.map(({ endpoint }) => endpoint).sort((a, b) => a - b)).toEqual(wanted.receivedBy)
  if (wanted.total !== undefined) expect(records).toHaveLength(wanted.total)
  for (const [endpoint, times] of (wanted.atLeast ?? []).entries())
    expect(records.filter((record) => record.endpoint === endpoint).length).toBeGreaterThanOrEqual(times)
  if (wanted.authorization !== undefined) expect(records.map(({ authorization }) => authorization)).toEqual(wanted.authorization)
  const read = records.filter((record) => record.operation !== undefined)
  if (operation === 'report') {
    expect(new Set(read.map(({ reporter }) => reporter?.incarnation)).size).toBeLessThanOrEqual(1)
    expect(read.map(({ reporter }) => reporter?.sequence)).toEqual(wanted.sequences ?? read.map(() => 1))
  }
  if (operation !== 'select' && operation !== 'claim') return
  const keys = new Set(read.map((record) => record.idempotencyKey))
  expect(keys.size, 'all attempts have one idempotency key').toBeLessThanOrEqual(1)
  for (const key of keys) {
    if (idempotencyKey !== undefined) expect(key).toBe(idempotencyKey)
    else {
      expect(key).toEqual(expect.any(String))
      expect(drawnKeys).not.toContain(key)
      if (key !== undefined) drawnKeys.add(key)
    }
  }
}
