import { Page } from '../../ui/page.tsx'

export function HostPage() {
  return <Page title="Host">...</Page>
}
