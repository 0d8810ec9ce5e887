import { Anchor, Table } from '@mantine/core'
import type { EXPLANATION } from '../../lib/explanation.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { Share } from '../../ui/bars.tsx'
import { Heading } from '../../ui/heading.tsx'
import { Heads } from '../../ui/heads.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { exactAmount, readableAmount, shareOf } from './facts.ts'
import { nameOfHost } from './names.ts'

export type NearMiss = ResultOf<typeof EXPLANATION>['explainPlacement']['nearMisses'][number]

interface NearMissesProps {
  readonly misses: readonly NearMiss[]
  onOpen(host: string): void
}

/** The refused hosts that came nearest, with all that refuses them and how much is missing. */
export function NearMisses({ misses, onOpen }: NearMissesProps) {
  if (misses.length === 0) return null
  return (
    <section aria-label="Nearest hosts">
      <Heading>Nearest of the refused</Heading>
      <ScrollBox label="The refused hosts that came nearest">
        <Table verticalSpacing={3} className="near">
          <Heads names={['Host', 'Missing', 'Refused by']} />
          <Table.Tbody>
            {misses.map((miss) => (
              <Row key={nameOfHost(miss)} miss={miss} onOpen={onOpen} />
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
    </section>
  )
}

function Row({ miss, onOpen }: { readonly miss: NearMiss; onOpen(host: string): void }) {
  const name = nameOfHost(miss)
  const refusing = miss.checks.filter(({ status }) => status === 'FAIL' || status === 'ERROR')
  const short = refusing.flatMap(({ facts }) => facts).filter((fact) => shareOf(fact) !== undefined)
  return (
    <Table.Tr data-near={name}>
      <Table.Td>
        <Anchor component="button" type="button" size="sm" onClick={() => onOpen(name)} aria-label={`Why not ${name}`}>
          {name}
        </Anchor>
      </Table.Td>
      <Table.Td>
        {short.map((fact) => (
          <div key={fact.subject} className="missing">
            <Share share={shareOf(fact) ?? 0} />
            <span title={`${exactAmount(fact.shortfall, fact.unit)} of ${exactAmount(fact.required, fact.unit)}`}>
              {readableAmount(fact.shortfall, fact.unit)} of {readableAmount(fact.required, fact.unit)}
            </span>
          </div>
        ))}
        {short.length === 0 ? <span className="dimmed">no amount</span> : null}
      </Table.Td>
      <Table.Td>
        {refusing.map(({ filter, text }) => (
          <div key={filter}>
            {filter}: {text}
          </div>
        ))}
      </Table.Td>
    </Table.Tr>
  )
}
