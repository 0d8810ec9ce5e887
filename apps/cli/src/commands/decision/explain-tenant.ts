import { graphql, type ResultOf } from '@gantt/client'
import { shortId } from '../../output/ids.ts'
import { code, heading, inert, paragraph, toMarkdownTable, toPage } from '../../output/markdown.ts'
import { toTable, wrap } from '../../output/table.ts'

/** The fields of a decision that a key bound to a project may read. */
export const TENANT = graphql(`query ExplainToTenant($id: ID!) {
  decision(id: $id) {
    id at outcome account
    tenantExplanation { outcome instanceCount placedCount headline isInYourHands demands { kind asked state text } }
  }
}`)

/** A decision with the fields that a key of its project may read. */
export type TenantDecision = NonNullable<ResultOf<typeof TENANT>['decision']>

/** The result in one sentence, then each demand and whether it prevents a placement. */
export const toTenantLines = ({ outcome, at, account, tenantExplanation: { headline, demands } }: TenantDecision): readonly string[] => [
  ...wrap(`${outcome}, for ${account} at ${at}.`),
  ...wrap(headline),
  ...(demands.length === 0
    ? []
    : [
        '',
        ...toTable(
          [
            { head: 'demand' },
            { head: 'asked', wraps: true, least: 12 },
            { head: 'state' },
            { head: 'what it means', wraps: true, least: 24 },
          ],
          demands.map(({ kind, asked, state, text }) => [kind, asked, state, text]),
        ),
      ]),
]

/** The content of `toTenantLines` as a page for a ticket, with the decision's id, by which operators find the details. */
export const toTenantPage = ({ id, outcome, at, account, tenantExplanation: { headline, demands } }: TenantDecision): readonly string[] =>
  toPage(
    heading(outcome),
    paragraph(headline),
    demands.length === 0
      ? []
      : toMarkdownTable(
          [{ head: 'Demand' }, { head: 'Asked' }, { head: 'State' }, { head: 'What it means' }],
          demands.map(({ kind, asked, state, text }) => [kind, asked, state, text]),
        ),
    `${inert(`Requested by ${account} at ${at}; the decision is`)} ${code(shortId(id))}.`,
  )
