import { Page } from '../../ui/page.tsx'

export function AggregatesPage() {
  return <Page title="Aggregates">...</Page>
}
