import { shortId } from './ids.ts'
import { code, heading, inert, paragraph, toMarkdownTable, toPage } from './markdown.ts'
import { toTable, wrap } from './table.ts'

/** What a key that is bound to a project may ask about a decision. */
export const TENANT = `query ExplainToTenant($id: ID!) {
  decision(id: $id) {
    id at outcome account
    tenantExplanation { outcome instanceCount placedCount headline isInYourHands demands { kind asked state text } }
  }
}`

/** A decision as its project may know it. */
export interface TenantDecision {
  readonly id: string
  readonly at: string
  readonly outcome: string
  readonly account: string
  readonly tenantExplanation: {
    readonly headline: string
    readonly isInYourHands: boolean | null
    readonly demands: readonly { readonly kind: string; readonly asked: string; readonly state: string; readonly text: string }[]
  }
}

/** The sentence, then what was asked of a host and whether it is in the way. */
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

/** The same for a ticket, with the id that leads operators to the rest. */
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
    `${inert(`Asked by ${account} at ${at}; the decision is`)} ${code(shortId(id))}.`,
  )
