import {
  causeText,
  counted,
  currentSpec,
  type HostName,
  hostKey,
  type ReasonCount,
  reasonText,
  shortfallsOf,
  shortfallsText,
} from '@gantt/scheduler-core'
import type { Examined, HostVerdict } from './examined.ts'
import { nearMissesOf, selectionOf } from './explanation.ts'
import { memberLines, solverLines } from './solver-text.ts'
import { weighingOf } from './weighing.ts'

const NEAR = 5
const BEST = 5
const IGNORED = 3

/** The address of a host, with its node if several hosts have the same host name in the explained state. */
export function addressIn({ hosts }: Examined, { host, node }: HostName): string {
  const nodes = hosts.filter((known) => known.host === host && known.gone === null)
  return nodes.length > 1 ? `${host}/${node}` : hostKey({ host, node })
}

/** The result of an explanation in one or two sentences, with counts of hosts. */
export function headlineOf(examined: Examined): string {
  const { hostCount, ranked, question, instance, cause, way } = examined
  const { numInstances } = question.record.request
  if (hostCount === 0) return 'No host has reported, so none could be chosen.'
  const selected = question.answer[instance]?.selected
  if (selected !== undefined) {
    const rank = rankOf(examined, selected)
    const passed = `${counted(ranked.length, 'host')} that passed, of ${hostCount}`
    // rank 0: the selected host does not pass, because the state differs from the state of the decision
    if (rank === 0)
      return `${addressIn(examined, selected)} was selected, but in the state that is explained here it is not among the ${passed}.`
    const which = numInstances === 1 ? '' : ` for instance ${instance + 1} of ${numInstances}`
    return `${addressIn(examined, selected)} was selected${which}: ${rank === 1 ? 'the best' : `rank ${rank}`} of ${passed}.${ignoredText(examined)}`
  }
  if (ranked.length > 0) return `${counted(ranked.length, 'host')} of ${hostCount} passed; none was selected.`
  return cause === null ? `None of ${counted(hostCount, 'host')} passed.` : causeText(cause, way)
}

/** Sentences about parts of the request that have no effect, because a selected host need not meet them. Empty if there are none. */
function ignoredText({ ignored, unlocated, question }: Examined): string {
  const list = (paths: readonly string[]): string => {
    const more = paths.length - IGNORED
    return `${paths.slice(0, IGNORED).join(', ')}${more > 0 ? ` and ${counted(more, 'more field')}` : ''} of the request`
  }
  const unread = ignored.filter((path) => !unlocated.includes(path))
  return [
    unread.length === 0 ? '' : ` Nothing in the profile ${question.profile.name} reads ${list(unread)}.`,
    unlocated.length === 0 ? '' : ` No recent document locates what is named by ${list(unlocated)}.`,
  ].join('')
}

/** The whole explanation as a page, for a ticket or for a terminal with 80 columns. */
export async function textOf(examined: Examined, format: 'MARKDOWN' | 'PLAIN'): Promise<string> {
  const { question, hostCount, steps, ranked, instance } = examined
  const { solver, request } = question.record
  const { numInstances } = request
  const members = memberLines(currentSpec(request), question.answer)
  const write = format === 'MARKDOWN' ? markdown : plain
  const which = numInstances > 1 ? ` for instance ${instance + 1} of ${numInstances}` : ''
  const funnel = steps
    .filter(({ asked }) => asked)
    .map(({ filter, entered, passed, reasons }) => ({ filter, entered, passed, reasons: reasons.map(countText) }))
  const near = ranked.length === 0 ? await nearMissesOf(examined, NEAR) : []
  const { hosts } = await weighingOf(examined, instance, BEST)
  const sections = [
    write.title(`${ranked.length} of ${counted(hostCount, 'host')} passed${which}`),
    write.text(headlineOf(examined)),
    write.text(`Profile ${question.record.profile}, revision ${question.basis}, ${question.fidelity}.`),
    ...(solver === undefined ? [] : [write.title('Solver'), write.list(solverLines(solver))]),
    ...(members.length === 0 ? [] : [write.title('Gang'), write.list(members)]),
    write.funnel(funnel),
    ...(near.length > 0 ? [write.title('Nearest'), write.list(await Promise.all(near.map((verdict) => nearText(examined, verdict))))] : []),
    ...(hosts.length > 0 ? [write.title('Best hosts'), write.list(hosts.map((verdict) => bestText(examined, verdict)))] : []),
    write.text(selectionOf(examined).text),
  ]
  return sections.join('\n\n')
}

interface FunnelRow {
  readonly filter: string
  readonly entered: number
  readonly passed: number
  readonly reasons: readonly string[]
}

/** Writes a page in one output format. A text that an operator or caller wrote must not be interpreted as markup. */
interface Writer {
  title(text: string): string
  text(text: string): string
  funnel(rows: readonly FunnelRow[]): string
  list(lines: readonly string[]): string
}

const inert = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*[\]|]|(?<!\w)_|_(?!\w)/g, '\\$&')
    .replaceAll('<', '&lt;')

const markdown: Writer = {
  title: (text) => `## ${inert(text)}`,
  text: inert,
  funnel: (rows) =>
    [
      '| Filter | In | Out | Refused | Why |',
      '| --- | --: | --: | --: | --- |',
      ...rows.map(
        ({ filter, entered, passed, reasons }) =>
          `| ${inert(filter)} | ${entered} | ${passed} | ${entered - passed} | ${reasons.map(inert).join('<br>')} |`,
      ),
    ].join('\n'),
  list: (lines) => lines.map((line) => `- ${inert(line)}`).join('\n'),
}

const COLUMNS = 80

const plain: Writer = {
  title: (text) => wrapped(text, ''),
  text: (text) => wrapped(text, ''),
  funnel: (rows) =>
    rows
      .flatMap(({ filter, entered, passed, reasons }) => [
        wrapped(`- ${filter}: ${entered} in, ${passed} out`, '  '),
        ...reasons.map((reason) => `    ${wrapped(reason, '      ')}`),
      ])
      .join('\n'),
  list: (lines) => lines.map((line) => wrapped(`- ${line}`, '  ')).join('\n'),
}

/** Wraps a text to 80 columns. All lines but the first are indented. A word that is too long gets its own line. */
function wrapped(text: string, indent: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line === '' || longer.length + indent.length <= COLUMNS) line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line].join(`\n${indent}`)
}

/** How many hosts were refused for a reason, with the amounts of one host as an example. */
const countText = ({ code, hosts, example }: ReasonCount): string =>
  hosts === 1 ? `1 × ${reasonText(example)}` : `${hosts} × ${code}, such as: ${reasonText(example)}`

const bestText = (examined: Examined, { total, outcome, ...name }: HostVerdict): string =>
  `${addressIn(examined, name)}: total ${Number((total ?? 0).toFixed(4))}${outcome === 'LOST_ON_WEIGHT' ? '' : `, ${outcome}`}`

/** A line about a refused host with all its refusals. */
const nearText = async (examined: Examined, verdict: HostVerdict): Promise<string> =>
  `${addressIn(examined, verdict)}: ${await lacksText(verdict)}`

/** All refusals of a host by every filter, in the same sentences as in the cause of a refused request. Empty if the host passes. */
export async function lacksText(verdict: Pick<HostVerdict, 'checks'>): Promise<string> {
  const checks = await verdict.checks(false)
  const refusals = checks.flatMap(({ filter, reason, facts = [] }) => (reason === undefined ? [] : [{ filter, reason, facts }]))
  return shortfallsText(shortfallsOf({ refusals }))
}

/** The rank of the selected host, from 1; 0 if the host does not pass. */
function rankOf({ ranked, weighed, hosts }: Examined, selected: { readonly host: string; readonly node: string }): number {
  const position = ranked.findIndex((rankedIndex) => {
    const name = hosts[weighed.hosts[rankedIndex] as number]
    return name?.host === selected.host && name.node === selected.node
  })
  return position + 1
}
