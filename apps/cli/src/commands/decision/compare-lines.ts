import { graphql, type ResultOf } from '@gantt/client'
import { printHost } from '../../options/host-name.ts'
import { GANTT } from '../../output/called.ts'
import { counted, mib } from '../../output/format.ts'
import { shortId } from '../../output/ids.ts'
import { heading, paragraph, toMarkdownTable, toPage } from '../../output/markdown.ts'
import { type Column, toTable, wrap } from '../../output/table.ts'

const SIDE = graphql(
  `fragment Side on Decision { id at outcome account fleetRevision profile { profileName number } spec { vcpus memoryMb diskGb numInstances availabilityZone } }`,
)

export const COMPARE = graphql(
  `query Compare($a: ID!, $b: ID!, $instance: Int, $hosts: Int!) {
  comparison: compareDecisions(a: $a, b: $b, instanceIndex: $instance) {
    a { ...Side } b { ...Side } fidelity approximateBecause cause text
    specChanges { field before after } profileChanges { field before after }
    fleetChangedHosts fleetChanges { field hosts }
    aInstanceIndex bInstanceIndex steps { filter aEntered aPassed bEntered bPassed }
    flippedCount flipped(first: $hosts) { hostName node hasOtherNodes a b because }
    trials { factors hosts isSecond }
  }
}`,
  [SIDE],
)

/** The API's comparison of two decisions. */
export type Comparison = ResultOf<typeof COMPARE>['comparison']

type Side = Comparison['a']
type Change = Comparison['specChanges'][number]
type Step = Comparison['steps'][number]

/** One table of the comparison. It is printed as lines in a terminal or as a page for a ticket. */
interface Part {
  readonly title: string
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly string[])[]
}

/** The cause in one sentence, then the tables that show it. */
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

/** The comparison as a page for a ticket. */
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
      title: `${counted(flippedCount, 'host')} with different results in the two decisions${flipped.length < flippedCount ? `; the first ${flipped.length}` : ''}`,
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
