import { useNavigate } from '@tanstack/react-router'
import { useShortcuts } from '../../../lib/browser/keys.ts'
import { pageAction } from '../../../lib/browser/page-actions.ts'
import { ButtonLink } from '../../../ui/button-link.tsx'
import type { Decision } from '../decision-header.tsx'

/** A link to a simulation of the same request with the same profile on the fleet of the decision. */
export function SimulateLink({ decision: { id, profile, fleetRevision } }: { readonly decision: Decision }) {
  const navigate = useNavigate()
  const search = {
    decision: id,
    ...(profile === null ? {} : { profile: `${profile.profileName}@${profile.number}` }),
    at: fleetRevision,
  }
  useShortcuts([{ keys: 's', label: 'Simulate this request', run: () => void navigate({ to: '/simulate', search }) }])
  return (
    <ButtonLink {...pageAction} to="/simulate" search={search} size="compact-sm" variant="outline" title="s">
      Simulate this request
    </ButtonLink>
  )
}
