import { useNavigate } from '@tanstack/react-router'
import { useShortcuts } from '../../lib/keys.ts'
import { pageAction } from '../../lib/page-actions.ts'
import { ButtonLink } from '../../ui/button-link.tsx'
import type { Decision } from './decision-header.tsx'

/** Leads to the same request, by the same profile, on the fleet as it was: a scenario to change and to run. */
export function SimulateLink({ decision: { id, profile, fleetRevision } }: { readonly decision: Decision }) {
  const navigate = useNavigate()
  const search = {
    decision: id,
    ...(profile === null ? {} : { profile: `${profile.profileName}@${profile.number}` }),
    at: fleetRevision,
  }
  useShortcuts([{ keys: 's', label: 'Simulate from this', run: () => void navigate({ to: '/simulate', search }) }])
  return (
    <ButtonLink {...pageAction} to="/simulate" search={search} size="compact-sm" variant="outline" title="s">
      Simulate from this
    </ButtonLink>
  )
}
