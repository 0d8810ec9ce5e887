import { Button, Menu } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useState } from 'react'
import { request } from '../../lib/api.ts'
import { EXPLANATION } from '../../lib/explanation.ts'
import { toGraphiql } from '../../lib/graphiql.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { MenuLink } from '../../ui/menu-link.tsx'
import { commandExplain, curlOf, graphqlOf } from './copies.ts'
import { TICKET } from './documents.ts'

interface DecisionCopiesProps {
  readonly id: string
  readonly instance: number | null
  readonly document: unknown
}

/** The ways to take a decision along. The ticket's text is the service's own. */
export function DecisionCopies({ id, instance, document }: DecisionCopiesProps) {
  const variables = { id, instance }
  const { state, copy } = useCopy()
  return (
    <>
      <Copy make={async () => `${(await request(TICKET, variables)).explainPlacement.text}\n\n${location.href}\n`}>Copy for a ticket</Copy>
      <CopyButton text={location.href}>Copy link</CopyButton>
      <Menu position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <Button size="compact-sm" variant="outline" rightSection={<IconChevronDown size={14} aria-hidden />}>
            <span aria-live="polite">{wordFor(state, 'Copy as')}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {(
            [
              ['Command line', commandExplain(id, instance)],
              ['curl', curlOf(location.origin, EXPLANATION, variables)],
              ['GraphQL query', graphqlOf(EXPLANATION, variables)],
              ['Request, JSON', JSON.stringify(document, null, 2)],
            ] as const
          ).map(([label, text]) => (
            <Menu.Item key={label} onClick={() => void copy(() => text)}>
              {label}
            </Menu.Item>
          ))}
          <MenuLink to="/graphiql" search={toGraphiql(EXPLANATION, variables)}>
            Open in GraphiQL
          </MenuLink>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

/** Copies a text that is made when it is asked for. */
function Copy({ make, children }: { make(): Promise<string>; readonly children: string }) {
  const { state, copy } = useCopy()
  return (
    <Button size="compact-sm" variant="outline" onClick={() => void copy(make)}>
      <span aria-live="polite">{wordFor(state, children)}</span>
    </Button>
  )
}

type CopyState = 'idle' | 'copied' | 'failed'

const wordFor = (state: CopyState, idle: string): string => ({ idle, copied: 'Copied', failed: 'Could not copy' })[state]

/** Copies, and says for a moment how that went. */
function useCopy() {
  const [state, setState] = useState<CopyState>('idle')
  const copy = async (make: () => string | Promise<string>): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await make())
      setState('copied')
    } catch {
      setState('failed')
    }
    setTimeout(() => setState('idle'), 2_000)
  }
  return { state, copy }
}
