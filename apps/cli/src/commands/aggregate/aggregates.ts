import { graphql, type ResultOf } from '@gantt/client'
import { aggregateFields } from '@gantt/scheduler-core/query'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { notFound } from '../../call/failure.ts'
import { DEFAULT_FIRST, readPages, tally } from '../../call/pages.ts'
import { type MomentFlags, pastLines, stateAt, withMoment } from '../../options/moment.ts'
import { fieldsHelp, queryOf } from '../../options/query.ts'
import { wholeNumber } from '../../options/values.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toPairs, toTable } from '../../output/table.ts'

interface Flags extends ConnectionFlags, MomentFlags {
  readonly query?: string
  readonly first: number
  readonly all?: true
  readonly json?: true
}

const AGGREGATE = graphql(
  `fragment AggregateParts on Aggregate { uuid name availabilityZone version updatedAt metadata { key value } ratios { resourceClass ratio by at } hostNames }`,
)

type Aggregate = ResultOf<typeof AGGREGATE>

const AGGREGATES = graphql(
  `query Aggregates($first: Int!, $after: String, $query: String, $at: Moment) {
  aggregates(first: $first, after: $after, query: $query, at: $at) { totalCount pageInfo { hasNextPage endCursor } nodes { ...AggregateParts } }
}`,
  [AGGREGATE],
)

const ONE = graphql(`query Aggregate($uuid: UUID!, $at: Moment) { aggregate(uuid: $uuid, at: $at) { ...AggregateParts } }`, [AGGREGATE])

/** `gantt aggregates`: lists sets of hosts with metadata, including availability zones. */
export function addAggregates(program: Command): void {
  const aggregates = withMoment(program.command('aggregates'))
    .description('list aggregates, which are sets of hosts with metadata; some are availability zones')
    .option('--query <terms>', `list only rows that match these terms; ${fieldsHelp(aggregateFields)}`, queryOf(aggregateFields))
    .option('--first <n>', 'list at most this many rows', wholeNumber(1, 100_000), DEFAULT_FIRST)
    .option('--all', 'list all rows')
    .action((flags: Flags) => run(flags, () => listAggregates(flags)))
  withExamples(withService(aggregates), [
    ['gantt aggregates', 'list all aggregates'],
    ['gantt aggregates --at -1d', 'list the aggregates as they were a day ago'],
    ['gantt aggregates show 3f0c1f0e-6d0e-4f6e-9b43-0a3c61a1d001', 'show the members and metadata of one aggregate'],
  ])
  const show = withMoment(aggregates.command('show'))
    .description('show the members and the metadata of one aggregate')
    .argument('<uuid>', 'uuid of the aggregate, as "gantt aggregates" prints it')
    .action((uuid: string, _flags: Flags, command: Command) => {
      const flags = command.optsWithGlobals<Flags>()
      return run(flags, () => showAggregate(uuid, flags))
    })
  withExamples(show, [['gantt aggregates show 3f0c1f0e-6d0e-4f6e-9b43-0a3c61a1d001', 'show one aggregate']])
}

async function listAggregates({ query, first, all, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const past = await stateAt(client, flags)
  const { items: aggregates, totalCount } = await readPages(all ? Number.POSITIVE_INFINITY : first, async (size, after) => {
    const answer = await client.request(AGGREGATES, { first: size, after, query, at: past?.revision })
    return answer.aggregates
  })
  const rows = aggregates.map(({ uuid, name, availabilityZone, hostNames, metadata }) => [
    uuid,
    name,
    availabilityZone ?? '-',
    String(hostNames.length),
    toWords(metadata).join(' ') || '-',
  ])
  const table = toTable(COLUMNS, rows)
  const lines =
    totalCount === 0
      ? [noneText(query !== undefined, past !== null)]
      : [...table, '', `${tally(aggregates.length, totalCount, 'aggregate')}.`]
  return { lines: [...pastLines(past), ...lines], json: { ...(past !== null && { asOf: past }), totalCount, aggregates } }
}

const noneText = (isFiltered: boolean, isPast: boolean): string =>
  `There ${isPast ? 'was' : 'is'} no ${isFiltered ? 'such aggregate' : isPast ? 'aggregate' : 'aggregate yet'}.`

const COLUMNS = [
  { head: 'uuid' },
  { head: 'name', cut: 'middle', least: 8, key: true },
  { head: 'zone', cut: 'middle', least: 6 },
  { head: 'hosts', align: 'right' },
  { head: 'metadata', cut: 'end', least: 8 },
] as const

async function showAggregate(uuid: string, flags: Flags): Promise<Result> {
  const client = connect(flags)
  const past = await stateAt(client, flags)
  const { aggregate } = await client.request(ONE, { uuid, at: past?.revision })
  if (aggregate === null)
    throw notFound(past === null ? `there is no aggregate ${uuid}` : `there was no aggregate ${uuid} at revision ${past.revision}`)
  const { name, availabilityZone, version, updatedAt, metadata, ratios, hostNames } = aggregate
  const lines = toPairs([
    ['name', name],
    ['uuid', aggregate.uuid],
    ['zone', availabilityZone ?? '-'],
    ['version', `${version}, since ${updatedAt}`],
    ['metadata', toWords(metadata).join(' ') || '-'],
    ...ratios.map(({ resourceClass, ratio, by, at }) => {
      const set = by === null && at === null ? '' : `, set by ${by ?? '-'} at ${at ?? '-'}`
      return [`${resourceClass} ratio`, `${ratio}${set}`] as const
    }),
    [`hosts (${hostNames.length})`, hostNames.join(' ') || '-'],
  ])
  return { lines: [...pastLines(past), ...lines], json: { ...(past !== null && { asOf: past }), ...aggregate } }
}

/** The metadata without the zone, which has its own column. */
const toWords = (metadata: Aggregate['metadata']): readonly string[] =>
  metadata.filter(({ key }) => key !== 'availability_zone').map(({ key, value }) => `${key}=${value}`)
