import { useNavigate } from '@tanstack/react-router'
import { useShortcuts } from '../../lib/keys.ts'
import { pageAction } from '../../lib/page-actions.ts'
import { ButtonLink } from '../../ui/button-link.tsx'

/** Leads to the map of the hosts, coloured by what this decision said of each. */
export function MapLink({ id, instance }: { readonly id: string; readonly instance: string | undefined }) {
  const navigate = useNavigate()
  const search = { decision: id, ...(instance === undefined ? {} : { instance }) }
  useShortcuts([{ keys: 'm', label: 'On the map', run: () => void navigate({ to: '/hosts', search }) }])
  return (
    <ButtonLink {...pageAction} to="/hosts" search={search} size="compact-sm" variant="outline" title="m">
      On the map
    </ButtonLink>
  )
}
