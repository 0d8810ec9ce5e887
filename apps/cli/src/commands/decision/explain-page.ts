import { printHost } from '../../options/host-name.ts'
import { decimal } from '../../output/format.ts'
import { heading, inert, link, paragraph, toMarkdownTable, toPage } from '../../output/markdown.ts'
import { askedOf, type Explained, refusalsOf, reportAgeOf, shadowText, type Verdict } from './explain-lines.ts'

/** A decision as a page for a ticket: the request, the selected hosts, the best or nearest hosts, and a link to the decision. */
export function toExplainPage(
  { decision, explanation }: Explained,
  address: string,
  verdicts: readonly Verdict[] | undefined,
  weights: readonly (readonly string[])[] | undefined = undefined,
): readonly string[] {
  const { steps, nearMisses, weighing, profile, fidelity, fleetRevision, selection, headline } = explanation
  const isRefused = weighing.candidateCount === 0
  return toPage(
    heading(`${decision.outcome}: ${askedOf(decision)}`),
    paragraph(headline),
    toMarkdownTable(
      [
        { head: 'Filter' },
        { head: 'In', align: 'right' },
        { head: 'Out', align: 'right' },
        { head: 'Refused', align: 'right' },
        { head: 'Alone', align: 'right' },
        { head: 'Why' },
      ],
      steps
        .filter(({ skippedBecause }) => skippedBecause === null)
        .map(({ name, entered, passed, rejected, soleRejections, reasons }) => [
          name,
          ...[entered, passed, rejected, soleRejections].map(String),
          reasons.map(({ hosts, code, text }) => (hosts === 1 ? `1 × ${text}` : `${hosts} × ${code}, such as: ${text}`)).join(' '),
        ]),
    ),
    ...(explanation.shadowSteps ?? []).map((step) => paragraph(shadowText(step))),
    ...(isRefused && nearMisses.length > 0
      ? [
          heading('Refused hosts that are nearest to passing'),
          toMarkdownTable(
            [{ head: 'Host' }, { head: 'Why it was refused' }],
            nearMisses.map(({ hostName, node, host, lacks }) => [printHost(hostName, node, host?.hasOtherNodes), lacks]),
          ),
        ]
      : []),
    ...(weighing.hosts.length > 0
      ? [
          heading(`Best hosts of ${weighing.candidateCount} that passed`),
          toMarkdownTable(
            [{ head: 'Host' }, { head: 'Outcome' }, { head: 'Report', align: 'right' }, { head: 'Total', align: 'right' }],
            weighing.hosts.map(({ hostName, node, host, outcome, totalWeight, reportAge }) => [
              printHost(hostName, node, host?.hasOtherNodes),
              outcome,
              reportAgeOf(reportAge),
              totalWeight === null ? '' : decimal(totalWeight),
            ]),
          ),
        ]
      : []),
    ...(verdicts === undefined
      ? []
      : [
          heading('Host by host'),
          toMarkdownTable(
            [{ head: 'Host' }, { head: 'Outcome' }, { head: 'Why it was refused' }],
            verdicts.map(({ hostName, node, host, outcome, checks }) => [
              printHost(hostName, node, host?.hasOtherNodes),
              outcome,
              refusalsOf(checks),
            ]),
          ),
        ]),
    ...(weights === undefined ? [] : [heading('What the multipliers decide'), ...weights]),
    paragraph(selection.text),
    `${inert(`Requested by ${decision.account} at ${decision.at}; decided by ${profile.profileName}@${profile.number} at revision ${fleetRevision}, ${fidelity.toLowerCase()}.`)} ${link('The decision', address)}`,
  )
}
