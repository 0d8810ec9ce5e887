import { Text } from '@mantine/core'
import { formatCount } from '../../../lib/format.ts'
import { Count } from '../count.tsx'
import { countHosts } from '../facts.ts'
import { type Combo, shortNames } from '../matrix.ts'
import './matrix.css'

const SHOWN = 12

interface CombosProps {
  readonly combos: readonly Combo[]
  /** The filters that have a column of dots, in the order of the columns. */
  readonly filters: readonly string[]
  readonly chosen: string | undefined
  onChoose(combo: string | undefined): void
}

/**
 * Each combination of filters that refuse the same hosts, with the count of these hosts. A host would pass only if all filters of its
 * combination were disabled.
 */
export function Combos({ combos, filters, chosen, onChoose }: CombosProps) {
  if (combos.length === 0) return null
  const most = combos[0]?.hosts ?? 1
  const shown = combos.slice(0, SHOWN)
  const columns = filters.filter((name) => shown.some((combo) => combo.filters.includes(name)))
  const others = combos.slice(SHOWN)
  const short = new Map(shortNames(filters).map((name, i) => [filters[i], name]))
  return (
    <fieldset className="combos" aria-label="Filters that refuse hosts together">
      <Text size="xs" c="dimmed">
        Refused together by exactly these filters:
      </Text>
      <div className="combos-list">
        {shown.map(({ name, filters: together, hosts }) => (
          <div key={name} className="combo">
            <Count
              label={`${countHosts(hosts)} refused by exactly ${together.join(', ')}`}
              isOn={chosen === name}
              onClick={() => onChoose(chosen === name ? undefined : name)}
            >
              {formatCount(hosts)}
            </Count>
            <span className="combo-track" aria-hidden>
              <span style={{ width: `${(100 * hosts) / most}%` }} />
            </span>
            <Dots columns={columns} together={together} />
            <span className="combo-names" title={together.join(' + ')}>
              {together.map((one) => short.get(one) ?? one).join(' + ')}
            </span>
          </div>
        ))}
      </div>
      {others.length === 0 ? null : (
        <Text size="xs" c="dimmed">
          {formatCount(others.length)} rarer {others.length === 1 ? 'combination is' : 'combinations are'} not listed, with{' '}
          {countHosts(others.reduce((sum, { hosts }) => sum + hosts, 0))}.
        </Text>
      )}
    </fieldset>
  )
}

const STEP = 14

/**
 * One dot for each filter. The dots of the filters in the combination are filled and joined. The names of these filters are next to the
 * dots.
 */
function Dots({ columns, together }: { readonly columns: readonly string[]; readonly together: readonly string[] }) {
  const indexes = together.map((name) => columns.indexOf(name)).filter((index) => index >= 0)
  const x = (index: number): number => (index + 0.5) * STEP
  return (
    <svg className="combo-dots" width={columns.length * STEP} height={STEP} aria-hidden="true">
      <line x1={x(Math.min(...indexes))} x2={x(Math.max(...indexes))} y1={STEP / 2} y2={STEP / 2} />
      {columns.map((name, index) => (
        <circle key={name} cx={x(index)} cy={STEP / 2} r={4} data-on={together.includes(name) || undefined} />
      ))}
    </svg>
  )
}
