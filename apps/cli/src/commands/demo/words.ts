import { shortId } from '../../output/ids.ts'
import type { Counts } from './api.ts'
import type { Operations } from './operations.ts'

export interface Links {
  /** The console's URL without a path: http://127.0.0.1:4000. */
  readonly base: string
  readonly key: string
  readonly counts: Counts
  /** Decisions that found no host, by global id. The text recommends to start with the first. */
  readonly failed: readonly { readonly decision: string; readonly sentence: string }[]
  readonly host: string
  /** The host with the most claims; undefined if there are no claims. */
  readonly busiest: string | undefined
  readonly aggregate: string
  readonly operations: Operations
  /** The rate of the requests that follow, per second; 0 for none. */
  readonly rate: number
}

/** The text for a demo that is ready: URLs, and what the fleet contains. Lines have at most 80 columns, except those with URLs. */
export function linkLines({ base, key, counts, failed, host, busiest, aggregate, operations, rate }: Links): readonly string[] {
  const [first, ...others] = failed
  const { emptied, silent, group } = operations
  const hostUrl = (name: string): string => `${base}/hosts/${encodeURIComponent(name)}`
  const decisionUrl = (id: string): string => `${base}/decisions/${encodeURIComponent(id)}`
  return [
    `${number(counts.hosts)} hosts in ${number(counts.aggregates)} aggregates hold ${number(counts.claims)} claims.`,
    '',
    ...(first === undefined
      ? []
      : [
          'Start with this failed decision:',
          `  ${decisionUrl(first.decision)}#key=${key}`,
          `  ${first.sentence}`,
          '  Open this link first: it signs you in, and the other links need that. The part',
          '  after # never leaves your browser.',
          '',
        ]),
    ...(others.length === 0 ? [] : ['Then find out why these failed:']),
    ...others.flatMap(({ decision, sentence }) => [`  ${sentence}`, `    ${decisionUrl(decision)}`]),
    '',
    'Look around:',
    `  hosts        ${base}/hosts`,
    `  one host     ${hostUrl(host)}`,
    `  decisions    ${base}/decisions`,
    `  aggregates   ${base}/aggregates`,
    `  one of them  ${base}/aggregates/${aggregate}`,
    ...(emptied === undefined && silent === undefined ? [] : ['', 'Hosts that need attention:']),
    ...(emptied === undefined ? [] : [`  emptied      ${hostUrl(emptied)}`]),
    ...(silent === undefined ? [] : [`  silent       ${hostUrl(silent)}`, '               SUSPECT after a minute, DOWN after three']),
    '',
    'From another terminal:',
    `  export GANTT_URL=${base}/graphql`,
    `  export GANTT_KEY=${key}`,
    '  npx gantt hosts',
    ...(first === undefined ? [] : [`  npx gantt explain ${shortId(first.decision)}`]),
    `  npx gantt groups show ${group}`,
    '  npx gantt claims --all | grep Moving     # moves: both hosts hold resources',
    '  npx gantt claims --state REVOKED',
    ...(busiest === undefined ? [] : [`  npx gantt host evacuate ${busiest} --dry-run`]),
    '  npx gantt liveness',
    '',
    rate > 0 ? `The demo sends ${rate} requests per second until Ctrl-C stops it.` : 'Ctrl-C stops the demo.',
    'The next start uses the same fleet; on the same port, the links stay valid.',
  ]
}

/** The host with the most claims. Of several such hosts, the first by name. Undefined if there are no claims. */
export function busiestOf(claims: readonly { readonly host: string }[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { host } of claims) counts.set(host, (counts.get(host) ?? 0) + 1)
  const [first] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  return first?.[0]
}

const number = (value: number): string => value.toLocaleString('en-US')
