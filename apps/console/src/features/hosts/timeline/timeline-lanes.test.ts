import { describe, expect, test } from 'vitest'
import { groupNames } from './timeline.ts'
import { axisOf, gatherMarks, gatherSpans, type Lane, lanesOf, nearestStep, wordAt } from './timeline-lanes.ts'

type Step = Parameters<typeof lanesOf>[0][number]

const START = Date.parse('2026-11-20T10:00:00.000Z')
const after = (ms: number): string => new Date(START + ms).toISOString()
const step = (ms: number, kind: Step['kind'], ...changes: Step['changes']): Step => ({ at: after(ms), kind, changes })
const status = (ms: number, before: string | null, to: string | null): Step => step(ms, 'STATUS', { field: 'status', before, after: to })
const state = (ms: number, before: string, to: string): Step => step(ms, 'LIVENESS', { field: 'state', before, after: to })

const now = { shown: groupNames, state: 'UP', status: 'ENABLED' } as const

/** The spans of a lane as texts: the second at which a span begins, and its state. `?` is an unknown state. */
function wordsOf(steps: readonly Step[], group: Lane['group'], known: Partial<Parameters<typeof lanesOf>[2]> = {}): string[] {
  const axis = axisOf(steps)
  if (axis === undefined) return []
  const lane = lanesOf(steps, axis, { ...now, ...known }).find((one) => one.group === group)
  return (lane?.spans ?? []).map(({ word, from }) => `${(from - START) / 1_000} ${word ?? '?'}`)
}

describe('the states of a host', () => {
  test.each<[name: string, steps: readonly Step[], expected: readonly string[], known?: Partial<Parameters<typeof lanesOf>[2]>]>([
    [
      'each state lasts from one change to the next',
      [status(0, 'ENABLED', 'DISABLED'), status(9_000, 'DISABLED', 'ENABLED')],
      ['0 DISABLED', '9 ENABLED'],
    ],
    [
      'before the first change the state is the earlier value in the change',
      [step(0, 'INVENTORY'), status(4_000, 'DRAINING', 'DISABLED')],
      ['0 DRAINING', '4 DISABLED'],
    ],
    [
      'before a first change without an earlier value the state is unknown',
      [step(0, 'INVENTORY'), status(4_000, null, 'DISABLED')],
      ['0 ?', '4 DISABLED'],
    ],
    ['without a change the state is the present one', [step(0, 'INVENTORY'), step(4_000, 'CLAIM_MADE')], ['0 ENABLED']],
    ['with a single step the state is the present one', [step(0, 'FIRST_REPORT')], ['0 ENABLED']],
    [
      'with a single change the state is its new value',
      [status(0, 'ENABLED', 'MAINTENANCE')],
      ['0 MAINTENANCE'],
      { status: 'MAINTENANCE' },
    ],
    ['the state is unknown before a later first report', [step(0, 'TRY_LOST'), step(5_000, 'FIRST_REPORT')], ['0 ?', '5 ENABLED']],
    [
      'before the tables followed the log the state is unknown, unless a change contains it',
      [step(0, 'CLAIM_MADE'), status(8_000, 'ENABLED', 'DISABLED')],
      ['0 ?', '3 ENABLED', '8 DISABLED'],
      { sinceMs: START + 3_000 },
    ],
    [
      'the state is known everywhere if the tables followed the log earlier',
      [step(0, 'CLAIM_MADE'), step(8_000, 'CLAIM_ENDED')],
      ['0 ENABLED'],
      { sinceMs: START - 1 },
    ],
    [
      'the state is unknown everywhere if the tables followed the log only later',
      [step(0, 'CLAIM_MADE'), step(1_000, 'CLAIM_ENDED')],
      ['0 ?'],
      { sinceMs: START + 9_000 },
    ],
    [
      'of two changes in one millisecond the last state counts',
      [status(0, 'ENABLED', 'DISABLED'), status(0, 'DISABLED', 'DRAINING')],
      ['0 DRAINING'],
    ],
    ['a change of the reason alone does not end a state', [status(0, 'ENABLED', 'DISABLED'), step(2_000, 'STATUS')], ['0 DISABLED']],
    [
      'a lane shows only the changes of its own field',
      [state(0, 'UP', 'DOWN'), step(2_000, 'INVENTORY', { field: 'status', before: 'a', after: 'b' })],
      ['0 ENABLED'],
    ],
  ])('%s', (_name, steps, expected, known) => {
    expect(wordsOf(steps, 'status', known)).toEqual(expected)
  })

  test('the state of a host is unknown before the time since when all events are recorded', () => {
    const steps = [step(0, 'CLAIM_MADE')]
    const axis = axisOf(steps)
    const known = { ...now, sinceMs: START + 90_000 }
    expect(axis && lanesOf(steps, axis, known).map(({ spans }) => spans.map(({ to }) => to))).toEqual([[axis?.to], [axis?.to], [], []])
  })

  test('the last state of a forgotten host is "forgotten", after any other state', () => {
    const steps = [step(0, 'FIRST_REPORT'), status(5_000, 'ENABLED', 'DISABLED'), step(20_000, 'FORGOTTEN')]
    const known = { goneMs: START + 20_000 }
    expect(wordsOf(steps, 'status', known)).toEqual(['0 ENABLED', '5 DISABLED', '20 FORGOTTEN'])
    expect(wordsOf(steps, 'liveness', known)).toEqual(['0 ?', '20 FORGOTTEN'])
  })

  test('the liveness of a host has spans like its status', () => {
    expect(wordsOf([state(0, 'UP', 'SUSPECT'), state(5_000, 'SUSPECT', 'DOWN')], 'liveness')).toEqual(['0 SUSPECT', '5 DOWN'])
  })

  test('the spans cover the axis without a gap, with 1,000 steps too, and after short spans were merged', () => {
    const steps = Array.from({ length: 1_000 }, (_, i) =>
      i % 2 === 0 ? status(i * 7, 'ENABLED', 'DISABLED') : status(i * 7, 'DISABLED', 'ENABLED'),
    )
    const axis = axisOf(steps)
    if (axis === undefined) throw new Error('expected an axis')
    const spans = lanesOf(steps, axis, now).find(({ group }) => group === 'status')?.spans ?? []
    expect(spans).toHaveLength(1_000)
    for (const drawn of [spans, gatherSpans(spans, 50)]) {
      expect([drawn[0]?.from, drawn.at(-1)?.to]).toEqual([axis.from, axis.to])
      for (const [i, span] of drawn.slice(1).entries()) expect(span.from).toBe(drawn[i]?.to)
    }
    // all spans are merged except the present state, which is long enough to be drawn
    expect(gatherSpans(spans, 50).map(({ word, times }) => word ?? times)).toEqual([999, 'ENABLED'])
  })

  test('the state of a host is found by time', () => {
    const spans = [
      { word: 'UP', from: 0, to: 10, times: 0 },
      { word: undefined, from: 10, to: 20, times: 0 },
    ]
    expect([wordAt(spans, -1), wordAt(spans, 0), wordAt(spans, 9), wordAt(spans, 10), wordAt(spans, 21)]).toEqual([
      undefined,
      'UP',
      'UP',
      undefined,
      undefined,
    ])
  })
})

describe('spans that are too short', () => {
  const spans = [0, 10, 11, 12, 30, 31, 60].map((from, i, all) => ({ word: `w${i}`, from, to: all[i + 1] ?? 61, times: 0 }))

  test('short spans are merged with a count if several follow each other, and a single short span keeps its state', () => {
    expect(gatherSpans(spans, 5).map(({ word, from, to, times }) => [word ?? times, from, to])).toEqual([
      ['w0', 0, 10],
      [2, 10, 12],
      ['w3', 12, 30],
      ['w4', 30, 31],
      ['w5', 31, 60],
      ['w6', 60, 61],
    ])
  })

  test('an empty lane has no spans', () => {
    expect(gatherSpans([], 5)).toEqual([])
    expect(gatherSpans(spans, 0)).toEqual(spans)
  })
})

describe('an event of a host', () => {
  const lane = (group: Lane['group'], steps: readonly Step[]): Lane | undefined => {
    const axis = axisOf(steps)
    return axis && lanesOf(steps, axis, now).find((one) => one.group === group)
  }
  const marksOf = (group: Lane['group'], steps: readonly Step[], minMs: number): string[] => {
    const one = lane(group, steps)
    return one === undefined ? [] : gatherMarks(one, minMs).map(({ glyph, at, count, row }) => `${row} ${glyph}${count} ${at - START}`)
  }

  test('an event is drawn as a mark of its kind, and each kind has its own row', () => {
    expect(marksOf('claims', [step(0, 'CLAIM_ENDED'), step(5, 'CLAIM_MADE'), step(9, 'CLAIM_CONFIRMED')], 1)).toEqual([
      '0 +1 5',
      '1 −1 0',
      '2 =1 9',
    ])
    expect(marksOf('inventory', [step(0, 'INVENTORY')], 1)).toEqual(['0 o1 0'])
  })

  test('crowded marks of the same kind are merged with a count, but never with marks of another kind', () => {
    const steps = [step(0, 'CLAIM_MADE'), step(1, 'CLAIM_ENDED'), step(1, 'CLAIM_MADE'), step(9, 'CLAIM_MADE'), step(10, 'CLAIM_MADE')]
    expect(marksOf('claims', steps, 10)).toEqual(['0 +3 0', '0 +1 10', '1 −1 1'])
    expect(marksOf('claims', steps, 0)).toHaveLength(5)
  })

  test('each of 1,000 events is counted once, and no two marks of a kind touch', () => {
    const steps = Array.from({ length: 1_000 }, (_, i) => step(i * i, i % 3 === 0 ? 'CLAIM_ENDED' : 'CLAIM_MADE'))
    const found = lane('claims', steps)
    const marks = found === undefined ? [] : gatherMarks(found, 5_000)
    expect(marks.reduce((sum, { count }) => sum + count, 0)).toBe(1_000)
    for (const glyph of ['+', '−']) {
      const positions = marks.filter((mark) => mark.glyph === glyph).map(({ at }) => at)
      for (const [i, at] of positions.slice(1).entries()) expect(at - (positions[i] ?? 0)).toBeGreaterThanOrEqual(5_000)
    }
  })

  test('events have a lane if their kind is selected, and a rare kind has a lane only if it has events', () => {
    const groupsOf = (steps: readonly Step[], shown: readonly Lane['group'][] = groupNames): string[] => {
      const axis = axisOf(steps)
      return axis === undefined ? [] : lanesOf(steps, axis, { ...now, shown }).map(({ label }) => label)
    }
    expect(groupsOf([step(0, 'FIRST_REPORT')])).toEqual(['State', 'Status', 'Reports', 'Claims'])
    expect(groupsOf([step(0, 'TRY_LOST')])).toEqual(['State', 'Status', 'Reports', 'Claims', 'Lost attempts'])
    expect(groupsOf([step(0, 'CLAIM_MADE')], ['claims'])).toEqual(['Claims'])
  })
})

describe('the axis', () => {
  test('the axis begins at the first step and ends after the last step, even if all steps are close together', () => {
    expect(axisOf([step(0, 'INVENTORY'), step(160_000, 'INVENTORY')])).toEqual({ from: START, last: START + 160_000, to: START + 170_000 })
    expect(axisOf([step(0, 'INVENTORY')])).toEqual({ from: START, last: START, to: START + 1_000 })
    expect(axisOf([])).toBeUndefined()
  })

  test('the step nearest to a time is found within the maximum distance, and the last one if several steps are equally near', () => {
    const steps = [step(0, 'INVENTORY'), step(100, 'INVENTORY'), step(100, 'STATUS'), step(300, 'INVENTORY')]
    const near = (ms: number) => nearestStep(steps, START + ms, 20)
    expect([-5, 10, 60, 95, 119, 320, 321].map(near)).toEqual([0, 0, undefined, 2, 2, 3, undefined])
    expect(nearestStep([], START, 20)).toBeUndefined()
  })
})
