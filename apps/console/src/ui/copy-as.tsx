import { Button, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconChevronDown, IconCopy } from '@tabler/icons-react'
import { useShortcuts } from '../lib/browser/keys.ts'
import { pageAction } from '../lib/browser/page-actions.ts'
import { curlOf, graphqlOf } from '../lib/copies.ts'
import { toGraphiql } from '../lib/graphiql.ts'
import type { VariablesOf } from '../lib/service/graphql.ts'
import { useMoment } from '../lib/service/moment.ts'
import type { Call, Operation } from '../lib/service/wire.ts'
import { MenuLink } from './menu-link.tsx'
import { problemOf } from './problem.tsx'

/** A menu item: its label, and the text that it copies. */
export type Copy = readonly [label: string, make: () => string | Promise<string>]

export interface CopyAsProps {
  /** The call that read the data of the page. A call that can be about the past is copied with the moment in the URL. */
  readonly call?: Call
  /** Additional items of the page. */
  readonly items?: readonly Copy[]
}

/** A menu that copies the page in several forms: as a link, as a call or its answer, as a command, or as rows. */
export function CopyAs({ call, ...others }: CopyAsProps) {
  return call === undefined ? <CopyMenu {...others} /> : <CopyCall {...call} {...others} />
}

type CopyCallProps = Call & Pick<CopyAsProps, 'items'>

function CopyCall({ document, variables = {}, items = [] }: CopyCallProps) {
  const { asked } = useMoment(document, variables)
  return <CopyMenu items={[...items, ...callCopies(document, asked)]} graphiql={toGraphiql(document, asked)} />
}

/** The menu items for a call: its text, and its answer. `answer` is the label of the second item. */
export const callCopies = (document: Operation, variables: VariablesOf<Operation>, answer = 'Answer, JSON'): readonly Copy[] => [
  ['GraphQL query', () => graphqlOf(document, variables)],
  ['curl', () => curlOf(location.origin, document, variables)],
  [answer, async () => JSON.stringify(await ask(document, variables), null, 2)],
]

/** Sends the query when the item is selected. The module is loaded only then, so that this component works without a session. */
const ask = async (document: Operation, variables: VariablesOf<Operation>): Promise<unknown> =>
  (await import('../lib/service/api.ts')).request(document, variables)

interface CopyMenuProps extends Pick<CopyAsProps, 'items'> {
  /** Items that save a file instead of copying a text. */
  readonly files?: readonly (readonly [label: string, save: () => void | Promise<void>])[]
  /** The GraphQL call of the view, which can be opened in GraphiQL. */
  readonly graphiql?: ReturnType<typeof toGraphiql>
}

/** Reserves the space of the button while its code is being loaded, so that nothing moves under the pointer. */
export const CopyRoom = () => (
  <Button size="compact-sm" variant="outline" style={{ visibility: 'hidden' }} {...icons}>
    Copy as
  </Button>
)

const icons = { leftSection: <IconCopy size={14} aria-hidden />, rightSection: <IconChevronDown size={14} aria-hidden /> } as const

export function CopyMenu({ items = [], files = [], graphiql }: CopyMenuProps) {
  const [isOpen, { open, close, toggle }] = useDisclosure(false)
  useShortcuts([{ keys: 'Y', label: 'Copy the page as ...', run: open }])
  const copies: readonly Copy[] = [['Link', () => location.href], ...items]
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false} opened={isOpen} onClose={close} returnFocus>
      <Menu.Target>
        <Button size="compact-sm" variant="outline" title="Y" {...pageAction} {...icons} onClick={toggle}>
          Copy as
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {copies.map(([label, make]) => (
          <Menu.Item key={label} onClick={() => void copy(label, make)}>
            {label}
          </Menu.Item>
        ))}
        {files.map(([label, save]) => (
          <Menu.Item key={label} onClick={() => void save()}>
            {label}
          </Menu.Item>
        ))}
        {graphiql === undefined ? null : (
          <MenuLink to="/graphiql" search={graphiql}>
            Open in GraphiQL
          </MenuLink>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Shows a message for two seconds. */
export const notifyDone = (message: string): void => void notifications.show({ message, autoClose: 2_000, withCloseButton: false })

/** Copies a text to the clipboard, and shows a message that the text was copied, or why it was not. */
export async function copy(label: string, make: Copy[1]): Promise<void> {
  try {
    await navigator.clipboard.writeText(await make())
    notifyDone(`Copied: ${label}.`)
  } catch (error) {
    const isRefused = error instanceof DOMException || error instanceof TypeError
    notifications.show({
      color: 'red',
      closeButtonProps: { 'aria-label': 'Close' },
      title: 'Not copied',
      message: isRefused
        ? 'The browser allows pages to use the clipboard only over https or on localhost, and only with permission.'
        : problemOf(error).text,
    })
  }
}
