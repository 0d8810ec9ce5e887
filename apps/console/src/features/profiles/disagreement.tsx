import { formatMib, formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'

interface Decided {
  readonly id: string
  readonly at: string
  readonly spec: { readonly flavorName: string | null; readonly vcpus: number; readonly memoryMb: number }
}

/** A link to a decision. Its text has the flavor of the request and the time. */
export function DecisionLink({ decision: { id, at, spec } }: { readonly decision: Decided }) {
  const zone = useTimeZone()
  return (
    <AnchorLink size="sm" to="/decisions/$id" params={{ id }} title={titleOfTime(at)}>
      {spec.flavorName ?? `${spec.vcpus} vCPU, ${formatMib(spec.memoryMb)}`}, <span className="profile-time">{formatTime(at, zone)}</span>
    </AnchorLink>
  )
}

const kinds: Readonly<Record<string, string>> = {
  NEW_FAILURE: 'newly fails',
  NEW_PLACEMENT: 'is newly placed',
  ELSEWHERE: 'goes elsewhere',
}

/** How the candidate's result differs from that of the active version, in words. */
export const kindWord = (kind: string): string => kinds[kind] ?? kind.toLowerCase().replaceAll('_', ' ')
