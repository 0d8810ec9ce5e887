import { at } from '../../fleet/columns.ts'
import { anotherHost } from './another-host.ts'
import type { Remedy } from './remedy.ts'

/** Place in `livenessStates`. */
const DOWN = 2

/** The host is closed or silent: it may be opened, or brought back. Somebody closed it for a reason, and nobody chose that it is silent. */
export const serviceRemedy: Remedy = {
  name: 'service',
  codes: ['host.disabled', 'host.down'],
  propose({ fleet, host, reason }) {
    const record = fleet.hosts.get(host)
    const { liveness } = fleet.hosts.columns
    const isClosed = reason.code === 'host.disabled'
    // opening a closed host does not bring it back where it is silent too
    const isDown = !isClosed || at(liveness, host) === DOWN
    const because = reason.source ? ` (${reason.source})` : ''
    const state = isClosed ? `${String(reason.have ?? 'disabled')}${isDown ? ' and down' : ''}` : 'down'
    return [
      {
        kind: 'FLEET',
        subject: `host ${record.host}`,
        from: `${state}${because}`,
        to: isClosed ? (isDown ? 'enabled and up' : 'enabled') : 'up',
        effort: isDown ? 4 : 3,
        lastResort: true,
        edits: { enableHosts: [record.host] },
      },
      // a new one is neither closed nor silent
      anotherHost(record),
    ]
  },
}
