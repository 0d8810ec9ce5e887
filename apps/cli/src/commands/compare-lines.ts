import { GANTT } from './called.ts'
import { counted, mib } from './format.ts'
import { printHost } from './host-name.ts'
import { shortId } from './ids.ts'
import { heading, paragraph, toMarkdownTable, toPage } from './markdown.ts'
import { type Column, toTable, wrap } from './table.ts'

/** What the API says of two decisions. */
export interface Comparison {
  readonly a: Side
  readonly b: Side
  readonly fidelity: string
  /** Null where it is exact. */
  readonly approximateBecause: string | null
  readonly cause: string
  readonly text: string
  readonly specChanges: readonly Change[]
  readonly profileChanges: readonly Change[]
  /** Null where one of the states is gone. */
  readonly fleetChangedHosts: number | null
  readonly fleetChanges: readonly { readonly field: string; readonly hosts: number }[]
  readonly aInstanceIndex: number
  readonly bInstanceIndex: number
  readonly steps: readonly Step[]
  readonly flippedCount: number
  readonly flipped: readonly {
    readonly hostName: string
    readonly node: string
    readonly hasOtherNodes: boolean
    readonly a: string
    readonly b: string
    readonly because: string
  }[]
}

interface Side {
  readonly id: string
  readonly at: string
  readonly outcome: string
  readonly account: string
  readonly fleetRevision: string
  /** Null where the replica does not know it. */
  readonly profile: { readonly profileName: string; readonly number: number } | null
  readonly spec: { readonly vcpus: number; readonly memoryMb: number; readonly diskGb: number; readonly numInstances: number }
}

interface Change {
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

interface Step {
  readonly filter: string
  readonly aEntered: number | null
  readonly aPassed: number | null
  readonly bEntered: number | null
  readonly bPassed: number | null
}

/** A table for people and for tickets alike. */
interface Part {
  readonly title: string
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly string[])[]
}

/** The cause first, then what shows it. */
export function toComparisonLines(comparison: Comparison): readonly string[] {
  const { a, b } = comparison
  return [
    ...wrap(`${comparison.cause}: ${comparison.text}`),
    '',
    ...wrap(`First:  ${toSide(a)}`),
    ...wrap(`Second: ${toSide(b)}`),
    ...partsOf(comparison).flatMap(({ title, columns, rows }) => ['', ...wrap(title), ...toTable(columns, rows)]),
    ...(comparison.fidelity === 'REPLAYED' ? [] : ['', ...wrap(approximately(comparison))]),
    '',
    `More: ${GANTT} explain ${shortId(a.id)}`,
    `      ${GANTT} explain ${shortId(b.id)}`,
  ]
}

/** The same for a ticket. */
export function toComparisonPage(comparison: Comparison): readonly string[] {
  const { a, b } = comparison
  return toPage(
    heading(`${comparison.cause}: two decisions compared`),
    paragraph(comparison.text),
    [`- ${paragraph(`First: ${toSide(a)}`)}`, `- ${paragraph(`Second: ${toSide(b)}`)}`],
    ...partsOf(comparison).flatMap(({ title, columns, rows }) => [paragraph(title), toMarkdownTable(columns, rows)]),
    comparison.fidelity === 'REPLAYED' ? '' : paragraph(approximately(comparison)),
  )
}

const approximately = ({ approximateBecause }: Comparison): string => `Approximate. ${approximateBecause ?? ''}`.trim()

function toSide({ id, at, outcome, account, fleetRevision, profile, spec }: Side): string {
  const by = profile === null ? '' : ` by ${profile.profileName}@${profile.number}`
  const asked = `${counted(spec.numInstances, 'instance')} of ${spec.vcpus} vCPU, ${mib(spec.memoryMb)}, ${spec.diskGb} GiB disk`
  return `${shortId(id)}, ${outcome}: ${asked}, for ${account} at ${at}${by}, revision ${fleetRevision}.`
}

function partsOf(comparison: Comparison): readonly Part[] {
  const {
    specChanges,
    profileChanges,
    fleetChanges,
    fleetChangedHosts,
    steps,
    flipped,
    flippedCount,
    aInstanceIndex: instance,
  } = comparison
  const which = comparison.a.spec.numInstances > 1 ? `, instance ${instance}` : ''
  return [
    { title: 'The requests differ in', columns: changeColumns, rows: specChanges.map(toChange) },
    { title: 'The profiles differ in', columns: changeColumns, rows: profileChanges.map(toChange) },
    {
      title: `The fleets differ in ${counted(fleetChangedHosts ?? 0, 'host')}`,
      columns: [{ head: 'field' }, { head: 'hosts', align: 'right' as const }],
      rows: fleetChanges.map(({ field, hosts }) => [field, String(hosts)]),
    },
    { title: `Hosts left after each filter${which}`, columns: stepColumns, rows: steps.map(toStep) },
    {
      title: `${counted(flippedCount, 'host')} fared otherwise${flipped.length < flippedCount ? `; the first ${flipped.length}` : ''}`,
      columns: flipColumns,
      rows: flipped.map(({ hostName, node, hasOtherNodes, a, b, because }) => [
        printHost(hostName, node, hasOtherNodes),
        `${a} -> ${b}`,
        because,
      ]),
    },
  ].filter(({ rows }) => rows.length > 0)
}

const changeColumns: readonly Column[] = [
  { head: 'field', cut: 'middle', least: 16 },
  { head: 'first', wraps: true, least: 12 },
  { head: 'second', wraps: true, least: 12 },
]

const stepColumns: readonly Column[] = [
  { head: 'filter', cut: 'end', least: 20 },
  { head: 'first before', align: 'right' },
  { head: 'after', align: 'right' },
  { head: 'second before', align: 'right' },
  { head: 'after', align: 'right' },
]

const flipColumns: readonly Column[] = [
  { head: 'host', cut: 'middle', least: 12 },
  { head: 'first -> second', wraps: true, least: 15 },
  { head: 'because', wraps: true, least: 28 },
]

const toChange = ({ field, before, after }: Change): readonly string[] => [field, before ?? '-', after ?? '-']

const toStep = ({ filter, aEntered, aPassed, bEntered, bPassed }: Step): readonly string[] => [
  filter,
  ...[aEntered, aPassed, bEntered, bPassed].map((count) => (count === null ? '-' : String(count))),
]
