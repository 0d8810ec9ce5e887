import { BrushBars } from '../../../ui/chart/brush-bars.tsx'
import { Count } from '../count.tsx'
import { countHosts } from '../facts.ts'
import type { Selection } from '../matrix.ts'
import { amountInWords, shortfallInWords } from './short.tsx'
import { printRange, type Range, type Shortfall } from './shortfalls.ts'
import './shortfall.css'

interface ShortfallBarsProps {
  readonly filter: string
  readonly code: string
  readonly shortfall: Shortfall
  readonly selection: Selection
  onSelect(selection: Selection): void
}

/** A histogram of the missing amounts of the hosts refused for one reason. Selecting a bar or a range of bars lists exactly its hosts. */
export function ShortfallBars({ filter, code, shortfall, selection, onSelect }: ShortfallBarsProps) {
  const { bins, unit, hosts } = shortfall
  const rangeOf = (from: number, to: number): Range => ({ from: bins[from]?.from ?? 0, to: bins[to]?.to ?? 0 })
  const words = (range: Range): string => rangeInWords(range, unit)
  const select = (range: Range): void => onSelect({ filter, reason: code, short: printRange(range) })
  return (
    <section className="shortfall" aria-label={`How much is missing: ${code}`} data-shortfall={code}>
      {bins.length < 2 ? null : (
        <BrushBars
          label={`${countHosts(hosts)} by how much is missing, ${shortfallInWords(shortfall)}`}
          bars={bins.map((bin) => ({ key: printRange(bin), parts: [{ className: 'shortfall-bar', count: bin.hosts }] }))}
          ends={[amountInWords(bins[0]?.from ?? 0, unit), amountInWords(bins.at(-1)?.to ?? 0, unit)]}
          describe={(from, to) =>
            `${countHosts(bins.slice(from, to + 1).reduce((sum, bin) => sum + bin.hosts, 0))} lack ${words(rangeOf(from, to))}`
          }
          onBrush={(from, to) => select(rangeOf(from, to))}
        />
      )}
      <details>
        <summary>As a list</summary>
        <ul className="plain">
          {bins
            .filter((bin) => bin.hosts > 0)
            .map((bin) => (
              <li key={printRange(bin)}>
                <Count
                  label={`${countHosts(bin.hosts)} refused by ${filter} for ${code} lack ${words(bin)}`}
                  isOn={selection.short === printRange(bin)}
                  onClick={() => select(bin)}
                >
                  {words(bin)}: {countHosts(bin.hosts)}
                </Count>
              </li>
            ))}
        </ul>
      </details>
    </section>
  )
}

/** The text of a range. A range of width 1 that begins at a whole number is named by this number. */
const rangeInWords = ({ from, to }: Range, unit: string): string =>
  to - from === 1 && Number.isInteger(from)
    ? amountInWords(from, unit)
    : `from ${amountInWords(from, unit)} to below ${amountInWords(to, unit)}`
