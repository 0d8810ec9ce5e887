import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { useEffect, useState } from 'react'
import { actionsOfPage, offersOf, type PageAction } from '../lib/browser/page-actions.ts'
import { takeFirst } from './palette.tsx'

const [store, actions] = createSpotlight()

/** The list of the page's actions. The key `.` opens the list, which can be filtered by a part of the names. */
export function Actions({ opened, onClose }: { readonly opened: boolean; onClose(): void }) {
  const [offered, setOffered] = useState<readonly PageAction[]>([])
  const [text, setText] = useState('')
  useEffect(() => {
    if (!opened) return actions.close()
    setOffered(actionsOfPage())
    actions.open()
  }, [opened])
  return (
    <Spotlight
      store={store}
      shortcut={null}
      onSpotlightClose={onClose}
      query={text}
      onQueryChange={setText}
      filter={(_query, all) => all}
      scrollable
      maxHeight={420}
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      nothingFound={offered.length === 0 ? 'No actions on this page.' : 'No matching actions.'}
      searchProps={{ placeholder: 'Filter the actions', 'aria-label': 'Page actions', onKeyDown: takeFirst }}
      actions={offersOf(offered, text)}
    />
  )
}
