import { Anchor } from '@mantine/core'
import type { EXPLANATION } from '../../../lib/explanation.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { Share } from '../../../ui/chart/bars.tsx'
import { Heading } from '../../../ui/heading.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { exactAmount, readableAmount, shareOf } from '../facts.ts'
import { nameOfHost, shownOf } from '../names.ts'

export type NearMiss = ResultOf<typeof EXPLANATION>['explainPlacement']['nearMisses'][number]

interface NearMissesProps {
  readonly misses: readonly NearMiss[]
  onOpen(host: string): void
}

/** The nearest refused hosts, with all refusing filters and the missing amounts. */
export function NearMisses({ misses, onOpen }: NearMissesProps) {
  if (misses.length === 0) return null
  return (
    <section aria-label="Nearest hosts">
      <Heading>Refused hosts that are nearest to passing</Heading>
      <SmallTable
        label="Nearest refused hosts"
        attributes={{ className: 'near' }}
        rows={misses.map((miss) => ({ name: nameOfHost(miss), shown: shownOf(miss), refusing: miss.checks.filter(isRefusing) }))}
        rowKey={({ name }) => name}
        rowAttributes={({ name }) => ({ 'data-near': name })}
        columns={[
          {
            head: 'Host',
            className: 'narrow',
            cell: ({ name, shown }) => (
              <Anchor component="button" type="button" size="sm" onClick={() => onOpen(name)} aria-label={`Why not ${shown}`}>
                {shown}
              </Anchor>
            ),
          },
          { head: 'Missing', className: 'narrow', cell: ({ refusing }) => <Missing checks={refusing} /> },
          {
            head: 'Refused by',
            cell: ({ refusing }) =>
              refusing.map(({ filter, text }) => (
                <div key={filter}>
                  {filter}: {text}
                </div>
              )),
          },
        ]}
      />
    </section>
  )
}

type Check = NearMiss['checks'][number]

const isRefusing = ({ status }: Check): boolean => status === 'FAIL' || status === 'ERROR'

function Missing({ checks }: { readonly checks: readonly Check[] }) {
  const short = checks.flatMap(({ facts }) => facts).filter((fact) => shareOf(fact) !== undefined)
  if (short.length === 0) return <span className="dimmed">no amount</span>
  return short.map((fact) => (
    <div key={fact.subject} className="missing">
      <Share share={shareOf(fact) ?? 0} />
      <span title={`${exactAmount(fact.shortfall, fact.unit)} of ${exactAmount(fact.required, fact.unit)}`}>
        {readableAmount(fact.shortfall, fact.unit)} of {readableAmount(fact.required, fact.unit)}
      </span>
    </div>
  ))
}
