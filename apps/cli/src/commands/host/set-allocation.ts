import { graphql } from '@gantt/client'
import { type Command, InvalidArgumentError } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { CommandFailure, EXIT, REFUSAL, toRefusal } from '../../call/failure.ts'
import { toHostName } from '../../options/host-name.ts'
import { reasonOf } from '../../options/reason.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toTable } from '../../output/table.ts'
import { nameOf, notEmpty } from './hosts.ts'
import { impactText } from './show-lines.ts'
import { ORIGIN, originText, USAGE } from './usage.ts'

interface Flags extends ConnectionFlags {
  readonly class: string
  readonly ratio?: number | 'none'
  readonly reserved?: number | 'none'
  readonly reason?: string
  readonly dryRun?: true
  readonly json?: true
}

const SET = graphql(
  `mutation SetAllocation($hosts: [ResourceNameInput!]!, $resourceClass: String!, $ratio: Float, $reserved: SafeInt, $reason: String!, $dryRun: Boolean!) {
  hostSetAllocation(hosts: $hosts, resourceClass: $resourceClass, ratio: $ratio, reserved: $reserved, reason: $reason, dryRun: $dryRun) {
    __typename
    ... on HostSetAllocationPayload {
      dryRun
      hosts { name node hasOtherNodes capacity { ...Usage ...Origins } }
      impact { hostsAffected claimsOnAffectedHosts warnings }
    }
    ...Refusal
  }
}`,
  [USAGE, ORIGIN, REFUSAL],
)

/** `gantt host set-allocation`: sets ratio and reserved amount of a resource class on hosts, whatever they report. */
export function addSetAllocation(host: Command): void {
  const command = host
    .command('set-allocation')
    .description('set the allocation ratio and the reserved amount of a resource class on hosts, regardless of their reports')
    .argument('<host...>', 'names of the hosts, HOST or HOST/NODE')
    .requiredOption('--class <class>', 'resource class, such as VCPU, MEMORY_MB or DISK_GB', notEmpty)
    .option('--ratio <n>', 'allocation ratio (overcommit), 0.001 to 1000; "none" removes an earlier setting', numberOrNone)
    .option('--reserved <n>', 'amount that is reserved, in units of the class; "none" removes an earlier setting', numberOrNone)
    .option('--reason <text>', 'reason for the change, recorded in the audit; not required with --dry-run', notEmpty)
    .option('--dry-run', 'change nothing; show the free amounts after the change')
    .action((names: readonly string[], flags: Flags) => run(flags, () => setAllocation(names, flags)))
  withExamples(withService(command), [
    ['gantt host set-allocation rack1-a --class VCPU --ratio 4 --dry-run', 'show what would be free with another ratio'],
    ['gantt host set-allocation rack1-a --class MEMORY_MB --reserved 4096 --reason "its own services"', 'reserve 4 GiB of memory'],
    [
      'gantt host set-allocation rack1-a --class VCPU --ratio none --reason "as it reports"',
      'remove the ratio, so that the one in the host’s report applies again',
    ],
  ])
}

async function setAllocation(names: readonly string[], flags: Flags): Promise<Result> {
  const { class: resourceClass, ratio, reserved, reason, dryRun, ...connection } = flags
  if (ratio === undefined && reserved === undefined) throw new CommandFailure(EXIT.usage, 'nothing to set: give --ratio or --reserved')
  const { hostSetAllocation: answer } = await connect(connection).request(SET, {
    ...{ hosts: names.map((name) => toHostName(name)), resourceClass, reason: reasonOf(reason, dryRun === true), dryRun: dryRun === true },
    ...(ratio !== undefined && { ratio: orNull(ratio) }),
    ...(reserved !== undefined && { reserved: orNull(reserved) }),
  })
  if (!('impact' in answer)) throw toRefusal(answer)
  const { hosts, impact } = answer
  const table = toTable(
    [
      { head: 'host', cut: 'middle', key: true },
      ...['ratio', 'reserved', 'free'].map((head) => ({ head, align: 'right' }) as const),
      { head: 'ratio from', wraps: true },
    ],
    hosts.flatMap((host) => {
      const usage = host.capacity.find((one) => one.resourceClass === resourceClass)
      if (usage === undefined) return [[nameOf(host), '-', '-', '-', `does not report ${resourceClass}`]]
      const { allocationRatio, reserved: kept, free, ratioFrom } = usage
      return [[nameOf(host), String(allocationRatio), String(kept), String(free), originText(ratioFrom)]]
    }),
  )
  const lines = [...table, '', impactText(answer), ...impact.warnings]
  return { lines, json: answer }
}

const orNull = (value: number | 'none'): number | null => (value === 'none' ? null : value)

function numberOrNone(text: string): number | 'none' {
  if (text === 'none') return text
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isNaN(value)) throw new InvalidArgumentError('It must be a number, or "none".')
  return value
}
