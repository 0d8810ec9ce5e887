import { Page } from '../../ui/page.tsx'

export function AggregatePage() {
  return <Page title="Aggregate">...</Page>
}
