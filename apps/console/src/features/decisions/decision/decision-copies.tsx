import { Button } from '@mantine/core'
import { EXPLANATION } from '../../../lib/explanation.ts'
import { request } from '../../../lib/service/api.ts'
import { type Copy, CopyAs, copy } from '../../../ui/copy-as.tsx'
import { commandExplain, textForProject } from '../copies.ts'
import { FOR_PROJECT, TICKET } from '../documents.ts'

interface DecisionCopiesProps {
  readonly id: string
  readonly instance: number | null
  readonly document: unknown
}

/** The menu to copy a decision in several forms. The service writes the text for the ticket. */
export function DecisionCopies({ id, instance, document }: DecisionCopiesProps) {
  const variables = { id, instance }
  const ticket: Copy = ['Ticket, Markdown', async () => `${(await request(TICKET, variables)).explainPlacement.text}\n\n${location.href}\n`]
  const items: readonly Copy[] = [
    ticket,
    [
      'For the tenant, as text',
      async () => {
        const { decision } = await request(FOR_PROJECT, { id })
        if (decision === null) throw new Error(`Decision ${id} is no longer kept.`)
        return textForProject(decision.tenantExplanation)
      },
    ],
    ['Command line', () => commandExplain(id, instance)],
    ['Request, JSON', () => JSON.stringify(document, null, 2)],
  ]
  return (
    <>
      <Button size="compact-sm" variant="outline" onClick={() => void copy(...ticket)}>
        Copy for a ticket
      </Button>
      <CopyAs call={{ document: EXPLANATION, variables }} items={items} />
    </>
  )
}
