import { Page } from '../../ui/page.tsx'

export function DecisionsPage() {
  return <Page title="Decisions">...</Page>
}
