import { anotherHost } from './another-host.ts'
import type { Remedy } from './remedy.ts'

/** Hosts that are kept for other projects or images remain so, because an operator decided it. A new host is not kept for anything. */
export const isolationRemedy: Remedy = {
  name: 'isolation',
  codes: ['aggregate.project', 'isolation.image', 'isolation.host'],
  propose: ({ fleet, host, reason }) => (reason.code === 'isolation.host' ? [anotherHost(fleet.hosts.get(host))] : []),
}
