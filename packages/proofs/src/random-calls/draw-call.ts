import { oneOf } from './choose.ts'
import { type Call, drawCall, drawSubscription } from './draw-document.ts'
import { drawFilter } from './draw-filter.ts'
import { drawLongText, drawNovaRequest, drawRepeatedVariable } from './draw-large.ts'
import { drawNovaReport, drawReport } from './draw-report.ts'
import type { Source } from './draw-value.ts'
import { BODY_BYTES, isLargerThan } from './size.ts'

const FILTERED = [
  'query ($q: String) { hosts(first: 20, query: $q) { totalCount nodes { name } } }',
  'query ($q: String) { claims(first: 20, query: $q) { totalCount nodes { id } } }',
  'query ($q: String) { aggregates(first: 5, query: $q) { totalCount nodes { name } } }',
  'query ($q: String) { decisions(first: 5, query: $q) { nodes { id } } }',
  'query ($q: String) { fleet { columns(names: [STATE, AZ], query: $q) { count } } }',
] as const

const drawFiltered = ({ random, fleet }: Source): Call => ({
  ...{ kind: 'filter', document: oneOf(random, FILTERED), variables: { q: drawFilter(random, fleet) }, roots: ['query'], isWriting: false },
})

/**
 * What is drawn for each call of a block. The last twelve calls are random queries and mutations. All other kinds of calls are in every
 * block.
 */
const BLOCK: readonly ((source: Source, number: number) => Call)[] = [
  ...[drawReport, drawFiltered, drawNovaReport, drawSubscription, drawNovaRequest, drawLongText, drawRepeatedVariable, drawFiltered],
  ...Array.from({ length: 12 }, () => drawCall),
]

/**
 * The number of calls in a block. A block contains every other kind of call. Whether its last twelve calls include both queries and
 * mutations is left to chance.
 */
export const BLOCK_LENGTH = BLOCK.length

/** A call that would be larger than this is drawn again. Calls up to this size include bodies that the service refuses for their size. */
const MOST_BYTES = 2 * BODY_BYTES

/** The call with this number. The same source of random numbers gives the same call. */
export function drawNumbered(source: Source, number: number): Call {
  const draw = BLOCK[number % BLOCK.length] ?? drawCall
  for (;;) {
    const call = draw(source, number)
    if (!isLargerThan([call.document, call.variables], MOST_BYTES)) return call
  }
}
