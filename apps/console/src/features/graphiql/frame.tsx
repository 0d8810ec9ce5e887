import { useState } from 'react'
import { Problem } from '../../ui/problem.tsx'
import type { Fetcher } from './fetcher.ts'
import type { GraphiqlSearch } from './search.ts'

/** The HTML document in the iframe. The build assembles it (graphiql-files.ts). */
const FRAME = '/graphiql-frame.html'
/** GraphiQL stores its colour scheme in the browser under this key. */
const KEPT_THEME = 'graphiql:theme'

interface FrameProps {
  /** The initial content of the editors. Without content, GraphiQL shows the last content in this browser. */
  readonly start: GraphiqlSearch
  readonly scheme: 'light' | 'dark'
  readonly fetcher: Fetcher
  /** Called after each change of the editors' content. */
  onEdit(edited: { readonly query: string | null; readonly variables: string | null }): void
}

/**
 * GraphiQL in a document of its own, so that its styles, keys and history do not affect the page. The props are only read when the document
 * has loaded, so the caller must create another frame for other props.
 */
export function Frame({ start, scheme, fetcher, onEdit }: FrameProps) {
  const [isMissing, setMissing] = useState(false)
  if (isMissing) return <Problem error={new Error('The files of GraphiQL did not load. Reload the page.')} />
  return (
    <iframe
      title="GraphiQL"
      src={FRAME}
      className="graphiql-frame"
      onLoad={({ currentTarget }) => {
        const inner = currentTarget.contentWindow as GraphiqlWindow | null
        const root = inner?.document.querySelector<HTMLElement>('#root')
        if (inner?.YogaGraphiQL === undefined || !root) {
          setMissing(true)
          return
        }
        const workers = JSON.parse(root.dataset.workers ?? '{}') as Readonly<Record<string, string>>
        // GraphiQL's first editor uses the stored colours, and ignores colours that are set later
        inner.localStorage.setItem(KEPT_THEME, scheme)
        inner.MonacoEnvironment = { getWorkerUrl: (_module, label) => workers[label] ?? '' }
        inner.YogaGraphiQL.renderYogaGraphiQL(root, {
          ...OPTIONS,
          fetcher,
          forcedTheme: scheme,
          ...(start.query === undefined ? {} : { query: start.query }),
          ...(start.variables === undefined ? {} : { variables: start.variables }),
          // without this handler, GraphiQL writes the query into the URL of its own document
          onEditQuery: () => undefined,
          onTabChange: ({ tabs, activeTabIndex }) => {
            const tab = tabs[activeTabIndex]
            if (tab !== undefined) onEdit(tab)
          },
        })
      }}
    />
  )
}

/** The session's key is sent with each call, so a pane for headers is not needed, and no headers are stored. */
const OPTIONS = {
  title: '',
  logo: '',
  defaultQuery: '{\n  viewer { scopes }\n}\n',
  isHeadersEditorEnabled: false,
  shouldPersistHeaders: false,
  showPersistHeadersSettings: false,
} as const

interface Tab {
  readonly query: string | null
  readonly variables: string | null
}

interface GraphiqlOptions {
  readonly title: string
  readonly logo: string
  readonly defaultQuery: string
  readonly isHeadersEditorEnabled: boolean
  readonly shouldPersistHeaders: boolean
  readonly showPersistHeadersSettings: boolean
  readonly fetcher: Fetcher
  readonly forcedTheme: 'light' | 'dark'
  readonly query?: string
  readonly variables?: string
  onEditQuery(query: string): void
  onTabChange(state: { readonly tabs: readonly Tab[]; readonly activeTabIndex: number }): void
}

type GraphiqlWindow = Window & {
  YogaGraphiQL?: { renderYogaGraphiQL(root: HTMLElement, options: GraphiqlOptions): void }
  MonacoEnvironment?: { getWorkerUrl(module: string, label: string): string }
}
