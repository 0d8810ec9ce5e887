import { useNavigate } from '@tanstack/react-router'
import { useShortcuts } from '../../../lib/browser/keys.ts'
import { pageAction } from '../../../lib/browser/page-actions.ts'
import { ButtonLink } from '../../../ui/button-link.tsx'

/** A link to the map of the hosts, coloured by this decision's verdicts. */
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
