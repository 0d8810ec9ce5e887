import { anotherHost } from './another-host.ts'
import type { Remedy } from './remedy.ts'

/** Hosts that are reserved for other projects or images stay reserved, because an operator decided it. A new host is not reserved. */
export const isolationRemedy: Remedy = {
  name: 'isolation',
  codes: ['aggregate.project', 'isolation.image', 'isolation.host'],
  propose: ({ fleet, host, reason }) => (reason.code === 'isolation.host' ? [anotherHost(fleet.hosts.get(host))] : []),
}
