import { type GroupName, groupNames, type Happening } from './timeline.ts'

/** An event of the timeline. The lanes call it a step, because the arrow keys move a cursor from one event to the next. */
type Step = Pick<Happening, 'kind' | 'at' | 'changes'>
type Kind = Happening['kind']

/** The time axis of the lanes, milliseconds since 1970. */
export interface Axis {
  readonly from: number
  /** The end of the axis, after the last step, so that the state since then is visible. */
  readonly to: number
  /** The time of the last step. After it, no changes are known. */
  readonly last: number
}

/** A period in which the host had one state. */
export interface Span {
  /** The state in the API's words. Undefined if the state is not known. */
  readonly word: string | undefined
  readonly from: number
  readonly to: number
  /** How many short spans were merged into this one. 0 if the span was not merged. A merged span has no state. */
  readonly times: number
}

/** An event, or several events of one kind at nearly the same time. */
export interface Mark {
  readonly glyph: string
  readonly at: number
  readonly count: number
  /** The index of the row from the top of the lane. Each glyph in the lane has its own row. */
  readonly row: number
}

export interface Lane<One extends Step = Step> {
  readonly group: GroupName
  readonly label: string
  /** Spans of time with the host's state, one after the other without a gap. Empty in a lane that only has marks. */
  readonly spans: readonly Span[]
  /** The events, oldest first, with their glyphs. */
  readonly steps: readonly { readonly step: One; readonly glyph: string }[]
}

/** What the lanes need to know in addition to the steps. */
interface Known {
  readonly shown: readonly GroupName[]
  /** The host's state at the shown moment. */
  readonly state: string
  readonly status: string
  /** The time at which the host was forgotten, if it no longer exists. */
  readonly goneMs?: number | undefined
  /** Before this time, only claims and placement attempts are known. Undefined if all events are known. */
  readonly sinceMs?: number | undefined
}

interface LaneShape {
  readonly label: string
  /** The field of the host whose changes begin a new span. Only for a lane that shows spans of time. */
  readonly field?: 'state' | 'status'
  readonly glyphs: Partial<Readonly<Record<Kind, string>>>
  /** If true, the lane is hidden as long as it has no events. */
  readonly isRare?: true
}

const shapes: Readonly<Record<GroupName, LaneShape>> = {
  liveness: { label: 'State', field: 'state', glyphs: {} },
  status: { label: 'Status', field: 'status', glyphs: {} },
  inventory: { label: 'Reports', glyphs: { FIRST_REPORT: '*', INVENTORY: 'o' } },
  aggregates: { label: 'Aggregates', glyphs: { AGGREGATE_JOINED: '+', AGGREGATE_LEFT: '−', AGGREGATE_EDITED: '~' }, isRare: true },
  presence: { label: 'Added and removed', glyphs: { FORGOTTEN: '−', READMITTED: '+', REPLACED: '~' }, isRare: true },
  claims: { label: 'Claims', glyphs: { CLAIM_MADE: '+', CLAIM_CONFIRMED: '=', CLAIM_ENDED: '−' } },
  tries: { label: 'Lost attempts', glyphs: { TRY_LOST: 'x' }, isRare: true },
}

/** The lanes from top to bottom. */
const order = ['liveness', 'status', ...groupNames.filter((name) => name !== 'liveness' && name !== 'status')] as const

/** The axis continues after the last step by this share of the time between the first and the last step. */
const TAIL = 1 / 16
/** The axis continues after the last step by at least this many milliseconds. */
const MIN_TAIL_MS = 1_000

/** The axis, which begins at the oldest step. Undefined if there are no steps. */
export function axisOf(steps: readonly Step[]): Axis | undefined {
  const [from, last] = [steps[0], steps.at(-1)].map((step) => (step === undefined ? undefined : Date.parse(step.at)))
  if (from === undefined || last === undefined) return undefined
  return { from, last, to: last + Math.max(MIN_TAIL_MS, (last - from) * TAIL) }
}

/** Distributes steps to lanes. The steps must be ordered from the oldest to the newest. */
export function lanesOf<One extends Step>(steps: readonly One[], axis: Axis, known: Known): Lane<One>[] {
  return order
    .filter((group) => known.shown.includes(group))
    .map((group) => {
      const { label, field, glyphs } = shapes[group]
      const own = steps.flatMap((step) => {
        const glyph = glyphs[step.kind]
        return glyph === undefined ? [] : [{ step, glyph }]
      })
      return { group, label, spans: field === undefined ? [] : spansOf(steps, axis, field, known), steps: own }
    })
    .filter(({ group, steps: own }) => !shapes[group].isRare || own.length > 0)
}

/** A time at which a state possibly changed, with the states before and after it. A state is undefined if it was not reported. */
interface Cut {
  readonly at: number
  readonly before?: string | undefined
  readonly after?: string | undefined
}

/**
 * The periods in which a host had one state. An event that changes the state contains the state before and after it. Therefore the state is
 * known from one such event to the next. If neither event contains the state in between, the period has an unknown state.
 */
function spansOf(steps: readonly Step[], { from, to }: Axis, field: 'state' | 'status', known: Known): Span[] {
  const { sinceMs, goneMs } = known
  const cuts = steps.flatMap((step): Cut[] => {
    const at = Date.parse(step.at)
    // Before the first report the host had no state.
    if (step.kind === 'FIRST_REPORT') return [{ at }]
    // A step that changes only the reason of a status or liveness does not change the state.
    if (step.kind !== 'STATUS' && step.kind !== 'LIVENESS') return []
    const change = step.changes.find((one) => one.field === field)
    return change === undefined ? [] : [{ at, before: change.before ?? undefined, after: change.after ?? undefined }]
  })
  if (goneMs !== undefined) cuts.push({ at: goneMs, after: 'FORGOTTEN' })
  const ends: Cut[] = [
    { at: from },
    ...withSince(cuts, from, sinceMs === undefined ? from : Math.min(sinceMs, to)),
    { at: to, before: goneMs === undefined ? known[field] : 'FORGOTTEN' },
  ]
  return ends.slice(1).flatMap((end, i) => {
    const begin = ends[i]
    if (begin === undefined || end.at <= begin.at) return []
    return [{ word: begin.after ?? end.before, from: begin.at, to: end.at, times: 0 }]
  })
}

function withSince(cuts: readonly Cut[], from: number, sinceMs: number): readonly Cut[] {
  if (sinceMs <= from) return cuts
  const index = cuts.findIndex(({ at }) => at >= sinceMs)
  return index < 0 ? [...cuts, { at: sinceMs }] : [...cuts.slice(0, index), { at: sinceMs }, ...cuts.slice(index)]
}

/** Merges consecutive spans that are shorter than `minMs` into one span, with the count of the merged spans. */
export function gatherSpans(spans: readonly Span[], minMs: number): Span[] {
  const gathered: Span[] = []
  const isShort = ({ from, to }: Span): boolean => to - from < minMs
  let run: Span[] = []
  const close = (): void => {
    const [first] = run
    if (first !== undefined)
      gathered.push(run.length === 1 ? first : { word: undefined, from: first.from, to: run.at(-1)?.to ?? first.to, times: run.length })
    run = []
  }
  for (const span of spans) {
    if (!isShort(span)) {
      close()
      gathered.push(span)
    } else run.push(span)
  }
  close()
  return gathered
}

/**
 * Merges marks that have the same glyph and are less than `minMs` apart. The merged mark has a count and is at the position of the first
 * mark.
 */
export function gatherMarks({ steps }: Pick<Lane, 'steps'>, minMs: number): Mark[] {
  const marks: Mark[] = []
  // the rows have a fixed order, whatever the order of the events
  const glyphs = [...new Set(Object.values(shapes).flatMap((shape) => Object.values(shape.glyphs)))].filter((glyph) =>
    steps.some((one) => one.glyph === glyph),
  )
  for (const [row, glyph] of glyphs.entries()) {
    let last: Mark | undefined
    for (const { step, glyph: own } of steps) {
      if (own !== glyph) continue
      const at = Date.parse(step.at)
      if (last !== undefined && at - last.at < minMs) {
        last = { ...last, count: last.count + 1 }
        marks[marks.length - 1] = last
      } else {
        last = { glyph, at, count: 1, row }
        marks.push(last)
      }
    }
  }
  return marks
}

/** The index of the step that is nearest to a time, if it is within `reachMs`. If several steps are at the same time, the last one. */
export function nearestStep(steps: readonly Step[], ms: number, reachMs: number): number | undefined {
  let nearest: number | undefined
  let least = reachMs
  for (const [index, { at }] of steps.entries()) {
    const distance = Math.abs(Date.parse(at) - ms)
    if (distance > least) continue
    least = distance
    nearest = index
  }
  return nearest
}

/** The host's state at a time, according to the spans of a lane. Undefined if it is not known. */
export const wordAt = (spans: readonly Span[], ms: number): string | undefined =>
  spans.findLast(({ from, to }) => from <= ms && ms <= to)?.word
