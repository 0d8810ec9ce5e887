import { hostKey, reasonText } from '@gantt/scheduler-core'
import type { Examined, HostVerdict } from './examined.ts'
import { nearMissesOf, selectionOf, weighingOf } from './explanation.ts'

/** How many reasons a sentence names; the funnel has them all. */
const NAMED_REASONS = 3
const NEAR = 5
const BEST = 5

/** What happened, in one or two sentences with numbers. */
export async function headlineOf(examined: Examined): Promise<string> {
  const { hostCount, ranked, question, instance } = examined
  if (hostCount === 0) return 'No host has reported, so none could be chosen.'
  const selected = question.answer[instance]?.selected
  if (selected !== undefined)
    return `${hostKey(selected)} was taken: ${rankOf(examined, selected)} of ${count(ranked.length, 'host')} that passed, of ${hostCount}.`
  if (ranked.length > 0) return `${count(ranked.length, 'host')} of ${hostCount} passed; none was taken.`
  const refusals = examined.steps.flatMap(({ filter, reasons }) => reasons.map((reason) => ({ ...reason, filter })))
  const most = [...refusals].sort((a, b) => b.hosts - a.hosts)
  const named = most.slice(0, NAMED_REASONS).map(({ filter, hosts, code }) => `${filter} refused ${hosts} (${code})`)
  const rest = most.slice(NAMED_REASONS).reduce((sum, { hosts }) => sum + hosts, 0)
  const [nearest] = await nearMissesOf(examined, 1)
  const near = nearest === undefined ? '' : ` Nearest: ${await nearText(nearest)}`
  return `None of ${count(hostCount, 'host')} passed: ${named.join(', ')}${rest > 0 ? `, others ${rest}` : ''}.${near}`
}

/** The whole as a page: for a ticket, or for a terminal of 80 columns. */
export async function textOf(examined: Examined, format: 'MARKDOWN' | 'PLAIN'): Promise<string> {
  const { question, hostCount, steps, ranked, instance } = examined
  const { numInstances } = question.record.request
  const write = format === 'MARKDOWN' ? markdown : plain
  const which = numInstances > 1 ? ` for instance ${instance + 1} of ${numInstances}` : ''
  const asked = steps.filter(({ asked }) => asked)
  const rows = asked.map(({ filter, entered, passed, reasons }) => [
    write.code(filter),
    String(entered),
    String(passed),
    String(entered - passed),
    reasons.map(({ hosts, example }) => `${hosts} × ${write.cell(reasonText(example))}`).join(write.lineBreak),
  ])
  const near = ranked.length === 0 ? await nearMissesOf(examined, NEAR) : []
  const { hosts } = await weighingOf(examined, instance, BEST)
  const sections = [
    write.title(`${ranked.length} of ${hostCount} hosts passed${which}`),
    await headlineOf(examined),
    `Profile ${question.record.profile}, revision ${question.basis}, ${question.fidelity}.`,
    write.table(['Filter', 'In', 'Out', 'Refused', 'Why'], rows),
    ...(near.length > 0
      ? [write.title('Nearest'), (await Promise.all(near.map(async (verdict) => `- ${await nearText(verdict)}`))).join('\n')]
      : []),
    ...(hosts.length > 0 ? [write.title('Best hosts'), hosts.map((verdict) => bestText(verdict, write)).join('\n')] : []),
    selectionOf(examined).text,
  ]
  return sections.join('\n\n')
}

interface Writer {
  title(text: string): string
  code(text: string): string
  cell(text: string): string
  table(heads: readonly string[], rows: readonly (readonly string[])[]): string
  readonly lineBreak: string
}

const markdown: Writer = {
  title: (text) => `## ${text}`,
  code: (text) => `\`${text}\``,
  cell: (text) => text.replaceAll('|', '\\|'),
  table: (heads, rows) =>
    [heads, heads.map((_, i) => (i > 0 && i < heads.length - 1 ? '--:' : '---')), ...rows]
      .map((row) => `| ${row.join(' | ')} |`)
      .join('\n'),
  lineBreak: '<br>',
}

/** What a line of a terminal leaves for reasons, in columns. */
const plain: Writer = {
  title: (text) => text,
  code: (text) => text,
  cell: (text) => text,
  table: (_heads, rows) =>
    rows
      .flatMap(([filter = '', entered = '', passed = '', , why = '']) => [
        `- ${filter}: ${entered} in, ${passed} out`,
        ...(why === '' ? [] : why.split('\n').map((line) => `    ${line}`)),
      ])
      .join('\n'),
  lineBreak: '\n',
}

function bestText({ rank, total, outcome, ...name }: HostVerdict, write: Writer): string {
  return `${rank}. ${write.code(hostKey(name))} ${total}${outcome === 'LOST_ON_WEIGHT' ? '' : ` (${outcome})`}`
}

/** A refused host with the reasons of all filters that refuse it. */
async function nearText(verdict: HostVerdict): Promise<string> {
  const checks = await verdict.checks(false)
  return `${hostKey(verdict)}: ${checks.flatMap(({ reason }) => (reason === undefined ? [] : reasonText(reason))).join(' ')}`
}

function rankOf({ ranked, weighed, names }: Examined, selected: { readonly host: string; readonly node: string }): string {
  const position = ranked.findIndex((place) => {
    const name = names[weighed.hosts[place] as number]
    return name?.host === selected.host && name.node === selected.node
  })
  return position === 0 ? 'the best' : `rank ${position + 1}`
}

const count = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`
