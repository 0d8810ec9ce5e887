import { anotherHost } from './another-host.ts'
import type { Remedy } from './remedy.ts'

/** The host is closed or silent: it may be opened, or brought back. */
export const serviceRemedy: Remedy = {
  name: 'service',
  codes: ['host.disabled', 'host.down'],
  propose({ fleet, host, reason }) {
    const record = fleet.hosts.get(host)
    const isDown = reason.code === 'host.down'
    const because = reason.source ? ` (${reason.source})` : ''
    return [
      {
        kind: 'FLEET',
        subject: `host ${record.host}`,
        from: `${isDown ? 'down' : String(reason.have ?? 'disabled')}${because}`,
        to: isDown ? 'up' : 'enabled',
        effort: isDown ? 4 : 3,
        edits: { enableHosts: [record.host] },
      },
      // a new one is neither closed nor silent
      anotherHost(record),
    ]
  },
}
