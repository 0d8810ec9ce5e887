import { Button, Menu, Switch, useComputedColorScheme } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { inEditors } from '../../lib/graphiql.ts'
import { useLatest } from '../../lib/service/use-latest.ts'
import { Page } from '../../ui/page.tsx'
import { examples } from './examples.ts'
import { createFetcher } from './fetcher.ts'
import { Frame } from './frame.tsx'
import { type GraphiqlSearch, toSearch } from './search.ts'
import './graphiql.css'

const route = getRouteApi('/graphiql')

/** A page for trying calls with the session's key. On every visit it starts in read-only mode, and no link can change this. */
export function GraphiqlPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const scheme = useComputedColorScheme('light')
  const [isReadOnly, setReadOnly] = useState(true)
  const latest = useLatest(isReadOnly)
  const fetcher = useMemo(() => createFetcher(() => latest.current), [latest])
  const { start, round, edit } = useStart(search, (next) => void navigate({ search: next, replace: true }))

  return (
    <Page
      title="GraphiQL"
      aside={
        <>
          <Switch
            label="Read only"
            title="While read only is on, no mutation is sent"
            checked={isReadOnly}
            onChange={({ currentTarget: { checked } }) => setReadOnly(checked)}
          />
          <Examples onChoose={(next) => void navigate({ search: next })} />
        </>
      }
    >
      {/* the content of a frame cannot be changed from here, so other initial content or other colours create another frame */}
      <Frame key={`${round} ${scheme}`} start={start} scheme={scheme} fetcher={fetcher} onEdit={edit} />
    </Page>
  )
}

/** The initial content of the frame, from the URL. It is updated only if the URL changes for another reason than input in the frame. */
function useStart(search: GraphiqlSearch, write: (search: GraphiqlSearch) => void) {
  const held = useRef(search)
  const [round, setRound] = useState(0)
  const { query, variables } = search
  useEffect(() => {
    if (held.current.query === query && held.current.variables === variables) return
    held.current = { ...(query === undefined ? {} : { query }), ...(variables === undefined ? {} : { variables }) }
    setRound((before) => before + 1)
  }, [query, variables])
  const edit = (edited: Parameters<typeof toSearch>[0]): void => {
    const next = toSearch(edited)
    if (next.query === held.current.query && next.variables === held.current.variables) return
    held.current = next
    write(next)
  }
  return { start: held.current, round, edit }
}

function Examples({ onChoose }: { onChoose(search: GraphiqlSearch): void }) {
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <Button size="compact-sm" variant="outline" rightSection={<IconChevronDown size={14} aria-hidden />}>
          Examples
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {examples.map(({ label, query, variables }) => (
          <Menu.Item key={label} onClick={() => onChoose(inEditors(query, variables))}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
