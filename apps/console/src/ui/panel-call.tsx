import { IconBrandGraphql } from '@tabler/icons-react'
import { toGraphiql } from '../lib/graphiql.ts'
import { useMoment } from '../lib/moment.ts'
import type { Call } from '../lib/wire.ts'
import { AnchorLink } from './anchor-link.tsx'
import './panel-call.css'

interface PanelCallProps extends Call {
  /** What the panel is called. */
  readonly of: string
}

/**
 * The way from a panel that asks something of its own to its call in GraphiQL, at the moment of the address. A call that is too long
 * for a link has none.
 */
export function PanelCall({ of, document, variables = {} }: PanelCallProps) {
  const { asked } = useMoment(document, variables)
  const search = toGraphiql(document, asked)
  if (search === undefined) return null
  return (
    <AnchorLink to="/graphiql" search={search} className="g-panel-call" title="Open in GraphiQL" aria-label={`${of}: open in GraphiQL`}>
      <IconBrandGraphql size={14} aria-hidden />
    </AnchorLink>
  )
}
