import { type Change, type HostRecord, hostAddress, type Liveness, nodesNamed } from '@gantt/scheduler-core'
import type { LivenessTimeouts } from '../../liveness/judge-liveness.ts'
import type { LivenessSource } from '../../liveness/liveness-source.ts'
import type { LivenessWatcher } from '../../liveness/watcher.ts'
import type { Replica } from '../../replica/replica.ts'
import { countStates, stateOf as stateIn } from '../../replica/watch/host-states.ts'
import { InputFault, type Invalid, invalid, issue, type NotFound, notFound } from '../calls/outcome.ts'
import { checkText } from '../calls/text.ts'
import { type HostView, viewHost } from './host-view.ts'
import type { HostNameInput } from './hosts.ts'

export const MAX_HEARTBEATS = 1_000

/** The source of signs of life from hosts, and how long a host is permitted to send no sign of life. */
export interface Listening {
  readonly source: LivenessSource
  readonly watcher: LivenessWatcher
  readonly timeouts: LivenessTimeouts
}

export interface LivenessView {
  readonly source: string
  readonly suspectAfterMs: number
  readonly downAfterMs: number
  /** Store time (the database's clock) of the last check; null before the first check. */
  readonly checkedAt: number | null
  readonly counts: Readonly<Record<Liveness, number>>
  /** Hosts that stay SUSPECT until an operator confirms that they are down. */
  readonly withheld: readonly HostView[]
  readonly warning: string | null
}

export interface HeartbeatsTaken {
  readonly heard: number
  readonly unknown: readonly string[]
}

export interface LivenessConfirmed {
  readonly type: 'done'
  readonly hosts: readonly HostView[]
  readonly revision: number
}

/** Determines whether hosts are UP, SUSPECT or DOWN, depending on when they last sent a sign of life. */
export interface LivenessService {
  view(): LivenessView
  /** Receives signs of life of hosts. A SUSPECT or DOWN host becomes UP at once. */
  heartbeat(names: readonly HostNameInput[]): Promise<HeartbeatsTaken>
  /** Records that an operator has confirmed that silent hosts are down. The claims of these hosts are kept. */
  confirm(names: readonly HostNameInput[], reason: string): Promise<LivenessConfirmed | NotFound | Invalid>
}

export function createLiveness(replica: Replica, { source, watcher, timeouts }: Listening): LivenessService {
  const stateOf = (record: HostRecord): Liveness => stateIn(replica.fleet, record)
  const viewOf = (record: HostRecord): HostView => viewHost(replica.fleet, record)
  /** Finds hosts only by their present names. A sign of life under an earlier name is returned as `unknown`. */
  const named = ({ host, node }: HostNameInput): HostRecord[] => {
    const { hosts } = replica.fleet
    if (typeof node !== 'string') return hosts.nodesOf(host).map((index) => hosts.get(index))
    return [hosts.find({ host, node }) ?? []].flat()
  }
  const changeTo =
    (state: Liveness, reason: string) =>
    (record: HostRecord): Change => ({
      type: 'liveness',
      host: record.host,
      node: record.node,
      state,
      reason,
    })
  return {
    view() {
      const { last } = watcher
      const withheld = (last?.verdict.withheld ?? [])
        .flatMap((name) => nodesNamed(replica.fleet.hosts, name))
        .filter((record) => stateOf(record) === 'SUSPECT')
      return {
        source: source.name,
        ...timeouts,
        checkedAt: last?.at ?? null,
        counts: countStates(replica.fleet),
        withheld: withheld.map(viewOf),
        warning: withheld.length > 0 ? (last?.verdict.warning ?? null) : null,
      }
    },
    async heartbeat(names) {
      if (names.length < 1 || names.length > MAX_HEARTBEATS) throw InputFault.at(['hosts'], names, `a list of 1 to ${MAX_HEARTBEATS} hosts`)
      const records = names.map(named)
      const heard = [...new Set(records.flat())]
      source.heard(heard)
      const back = heard.filter((record) => stateOf(record) !== 'UP')
      if (back.length > 0) {
        // the sign of life must be stored before the host is UP; otherwise the next check would treat the host as silent again
        await source.flush()
        await replica.propose(back.map(changeTo('UP', 'gave a sign of life again')))
      }
      const unknown = names.filter((_name, i) => records[i]?.length === 0)
      return { heard: heard.length, unknown: unknown.map(({ host, node }) => (node ? `${host}/${node}` : host)) }
    },
    async confirm(names, reason) {
      const issues = checkText(['reason'], reason, { max: 1_000 })
      if (names.length < 1 || names.length > MAX_HEARTBEATS) issues.push(issue(['hosts'], names, `name 1 to ${MAX_HEARTBEATS} hosts`))
      if (source.name === 'static')
        issues.push(
          issue(
            ['hosts'],
            names,
            'be closed by hostSetStatus: with GANTT_LIVENESS=static all hosts are UP, and a host set to DOWN would be UP again at once',
          ),
        )
      if (issues.length > 0) return invalid(issues)
      await replica.fresh()
      const records = names.map((name) => nodesNamed(replica.fleet.hosts, name))
      const missing = records.findIndex((found) => found.length === 0)
      const lost = names[missing]
      if (lost !== undefined) return notFound('host', lost.node ? `${lost.host}/${lost.node}` : lost.host, ['hosts', String(missing)])
      const all = [...new Set(records.flat())]
      const alive = all.find((record) => stateOf(record) === 'UP')
      if (alive !== undefined) return invalid([issue(['hosts'], alive.host, 'be SUSPECT or DOWN; this host gave a sign of life and is UP')])
      const suspect = all.filter((record) => stateOf(record) === 'SUSPECT')
      // the recorded reason also contains the host's `livenessReason`, which states since when the host is silent
      const verdicts = await replica.propose(suspect.map((record) => changeTo('DOWN', `${reason}; ${record.livenessReason}`)(record)))
      const refused = verdicts.findIndex((verdict) => verdict.void !== undefined)
      const [code, record] = [verdicts[refused]?.void, suspect[refused]]
      if (code !== undefined && record !== undefined) {
        const address = hostAddress(replica.fleet.hosts, record)
        const message = `${address} left the fleet, was replaced or gave a sign of life meanwhile: read the hosts again.`
        return invalid([{ code, path: ['hosts'], message, expected: 'as it was read', actual: address }], 'CONFLICT')
      }
      return { type: 'done', hosts: all.map(viewOf), revision: verdicts[0]?.revision ?? replica.fleet.place.revision }
    },
  }
}
