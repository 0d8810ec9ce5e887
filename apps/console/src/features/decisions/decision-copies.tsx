import { Button, Menu } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useState } from 'react'
import { request } from '../../lib/api.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { commandExplain, curlOf, graphqlOf } from './copies.ts'
import { EXPLANATION, TICKET } from './documents.ts'

interface DecisionCopiesProps {
  readonly id: string
  readonly instance: number | null
  readonly document: unknown
}

/** The ways to take a decision along. The ticket's text is the service's own. */
export function DecisionCopies({ id, instance, document }: DecisionCopiesProps) {
  const variables = { id, instance }
  return (
    <>
      <Copy make={async () => `${(await request(TICKET, variables)).explainPlacement.text}\n\n${location.href}\n`}>Copy for a ticket</Copy>
      <CopyButton text={location.href}>Copy link</CopyButton>
      <Menu position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <Button size="compact-sm" variant="outline" rightSection={<IconChevronDown size={14} aria-hidden />}>
            Copy as
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
            <Menu.Item key={label} onClick={() => void navigator.clipboard.writeText(text)}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

/** Copies a text that is made when it is asked for, and says how that went. */
function Copy({ make, children }: { make(): Promise<string>; readonly children: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await make())
      setState('copied')
    } catch {
      setState('failed')
    }
    setTimeout(() => setState('idle'), 2_000)
  }
  return (
    <Button size="compact-sm" variant="outline" onClick={() => void copy()}>
      <span aria-live="polite">{{ idle: children, copied: 'Copied', failed: 'Could not copy' }[state]}</span>
    </Button>
  )
}
