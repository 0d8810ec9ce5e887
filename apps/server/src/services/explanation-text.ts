import { causeText, counted, currentSpec, hostKey, type ReasonCount, reasonText, shortfallsOf, shortfallsText } from '@gantt/scheduler-core'
import type { Examined, HostVerdict } from './examined.ts'
import { nearMissesOf, selectionOf } from './explanation.ts'
import { memberLines, solverLines } from './solver-text.ts'
import { weighingOf } from './weighing.ts'

const NEAR = 5
const BEST = 5

/** What happened, in one or two sentences with numbers. */
export function headlineOf(examined: Examined): string {
  const { hostCount, ranked, question, instance, cause, way } = examined
  if (hostCount === 0) return 'No host has reported, so none could be chosen.'
  const selected = question.answer[instance]?.selected
  if (selected !== undefined) {
    const rank = rankOf(examined, selected)
    const passed = `${counted(ranked.length, 'host')} that passed, of ${hostCount}`
    // on another state than it was decided on, it may not even pass
    if (rank === 0) return `${hostKey(selected)} was taken; it is not among the ${passed}, on the state that this is about.`
    return `${hostKey(selected)} was taken: ${rank === 1 ? 'the best' : `rank ${rank}`} of ${passed}.`
  }
  if (ranked.length > 0) return `${counted(ranked.length, 'host')} of ${hostCount} passed; none was taken.`
  return cause === null ? `None of ${counted(hostCount, 'host')} passed.` : causeText(cause, way)
}

/** The whole as a page: for a ticket, or for a terminal of 80 columns. */
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
    ...(near.length > 0 ? [write.title('Nearest'), write.list(await Promise.all(near.map(nearText)))] : []),
    ...(hosts.length > 0 ? [write.title('Best hosts'), write.list(hosts.map(bestText))] : []),
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

/** How a page is written; what it is given holds words of operators and callers, which must not become markup. */
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

/** Lines of at most 80 columns, all but the first indented; a longer word keeps a line of its own. */
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

/** How many hosts a reason refused; the numbers of one of them where there are more. */
const countText = ({ code, hosts, example }: ReasonCount): string =>
  hosts === 1 ? `1 × ${reasonText(example)}` : `${hosts} × ${code}, such as: ${reasonText(example)}`

const bestText = ({ total, outcome, ...name }: HostVerdict): string =>
  `${hostKey(name)}: total ${Number((total ?? 0).toFixed(4))}${outcome === 'LOST_ON_WEIGHT' ? '' : `, ${outcome}`}`

/** A refused host with all that keeps it out. */
const nearText = async (verdict: HostVerdict): Promise<string> => `${hostKey(verdict)}: ${await lacksText(verdict)}`

/** All that keeps a host out, by every filter, in the sentences of the cause; empty where it passes. */
export async function lacksText(verdict: Pick<HostVerdict, 'checks'>): Promise<string> {
  const checks = await verdict.checks(false)
  const refusals = checks.flatMap(({ filter, reason, facts = [] }) => (reason === undefined ? [] : [{ filter, reason, facts }]))
  return shortfallsText(shortfallsOf({ refusals }))
}

/** From 1; 0 where it is not among those that pass. */
function rankOf({ ranked, weighed, names }: Examined, selected: { readonly host: string; readonly node: string }): number {
  const position = ranked.findIndex((place) => {
    const name = names[weighed.hosts[place] as number]
    return name?.host === selected.host && name.node === selected.node
  })
  return position + 1
}
