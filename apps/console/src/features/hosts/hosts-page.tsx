import { Page } from '../../ui/page.tsx'

export function HostsPage() {
  return <Page title="Hosts">...</Page>
}
