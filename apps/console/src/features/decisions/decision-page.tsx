import { Page } from '../../ui/page.tsx'

export function DecisionPage() {
  return <Page title="Decision">...</Page>
}
