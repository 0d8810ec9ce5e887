import { formatCount } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { BrushBars } from '../../ui/chart/brush-bars.tsx'
import { Stale } from '../../ui/stale.tsx'
import { agedQuery, ageQueries, ageText, bars } from './ages.ts'
import { AGES } from './documents.ts'
import './claims.css'

interface AgeBarsProps {
  /** The filter of the list of claims. */
  readonly q: string
  onFilter(q: string): void
  /** The interval between counts in milliseconds. It is long, because the service examines every claim for each bar. */
  readonly everyMs: number
}

const countText = (count: number): string => `${formatCount(count)} ${count === 1 ? 'claim' : 'claims'}`

/**
 * A histogram of the ages of the claims that match the filter, from seconds to days. Selecting one bar or several neighbouring bars
 * restricts the filter to their ages.
 */
export function AgeBars({ q, onFilter, everyMs }: AgeBarsProps) {
  const { data, error, dataUpdatedAt, isPlaceholderData } = useOperation(AGES, ageQueries(q), { everyMs })
  // if the counts cannot be read, the list below shows the error
  if (data === undefined) return null
  const counts = bars.map((bar) => data[bar].totalCount)
  const sum = (from: number, to: number): number => counts.slice(from, to + 1).reduce((all, count) => all + count, 0)
  const all = sum(0, counts.length - 1)
  return (
    <section className="claims-ages" aria-label="Claims by age">
      <Stale error={error} atMs={dataUpdatedAt} everyMs={everyMs} isOther={isPlaceholderData}>
        <BrushBars
          label={`${countText(all)} by age.`}
          bars={counts.map((count, i) => ({ key: ageText(i), parts: [{ className: 'claims-age', count }] }))}
          ends={[ageText(0), ageText(counts.length - 1)]}
          describe={(from, to) => `${countText(sum(from, to))} ${ageText(from, to)}`}
          onBrush={(from, to) => onFilter(agedQuery(q, from, to))}
        />
        <details>
          <summary>As a list</summary>
          <ul className="plain">
            {counts.map((count, i) => (
              <li key={ageText(i)}>
                <AnchorLink size="sm" to="/claims" search={{ q: agedQuery(q, i) }} data-age={i}>
                  {ageText(i)}: {countText(count)}
                </AnchorLink>
              </li>
            ))}
          </ul>
        </details>
      </Stale>
    </section>
  )
}
