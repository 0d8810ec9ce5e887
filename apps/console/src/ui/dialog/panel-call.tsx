import { IconBrandGraphql } from '@tabler/icons-react'
import { toGraphiql } from '../../lib/graphiql.ts'
import { useMoment } from '../../lib/service/moment.ts'
import type { Call } from '../../lib/service/wire.ts'
import { AnchorLink } from '../anchor-link.tsx'
import './panel-call.css'

interface PanelCallProps extends Call {
  /** The name of the panel. */
  readonly of: string
}

/**
 * A link from a panel to GraphiQL with the call of the panel, at the moment in the URL. There is no link if the call is too long for a URL.
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
