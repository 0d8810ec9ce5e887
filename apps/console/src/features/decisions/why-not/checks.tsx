import { Text } from '@mantine/core'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { Share } from '../../../ui/chart/bars.tsx'
import type { WHY_NOT } from '../documents.ts'
import { exactAmount, readableAmount, shareOf } from '../facts.ts'
import './why-not.css'

type Check = ResultOf<typeof WHY_NOT>['whyNot']['verdict']['checks'][number]

const signs: Readonly<Record<string, { readonly glyph: string; readonly word: string; readonly kind: string }>> = {
  PASS: { glyph: '+', word: 'passes', kind: 'pass' },
  FAIL: { glyph: 'x', word: 'refuses', kind: 'fail' },
  ERROR: { glyph: '!', word: 'failed, so the host is refused', kind: 'fail' },
  NOT_RUN: { glyph: '·', word: 'not run', kind: 'skipped' },
}

/** The verdicts of all filters with their amounts: needed, available, missing, and the source of the available amount. */
export function Checks({ checks }: { readonly checks: readonly Check[] }) {
  const ran = checks.filter(({ status }) => status !== 'NOT_ASKED')
  const idle = checks.length - ran.length
  return (
    <>
      <ul className="checks" aria-label="Checks">
        {ran.map((check) => (
          <CheckLine key={check.filter} check={check} />
        ))}
      </ul>
      {idle === 0 ? null : (
        <Text size="xs" c="dimmed">
          {idle} more {idle === 1 ? 'filter' : 'filters'} had nothing to check.
        </Text>
      )}
    </>
  )
}

function CheckLine({ check: { filter, status, text, facts } }: { readonly check: Check }) {
  const { glyph, word, kind } = signs[status] ?? { glyph: '?', word: status, kind: 'skipped' }
  const [fact] = facts
  return (
    <li data-check={filter} data-status={status}>
      <div>
        <span className={`verdict verdict-${kind}`} aria-hidden>
          {glyph}
        </span>{' '}
        <b>{filter}</b> {word}
      </div>
      {text === null ? null : <div>{text}</div>}
      <Arithmetic fact={fact} />
    </li>
  )
}

/** Shows needed − available = missing, and the source of the available amount. */
function Arithmetic({ fact }: { readonly fact: Check['facts'][number] | undefined }) {
  const { required = null, actual = null, shortfall = null, unit = null } = fact ?? {}
  const share = fact === undefined ? undefined : shareOf(fact)
  const amount = (name: string, value: string | null, word: string) => (
    <>
      <span data-fact={name} title={value === null ? undefined : readableAmount(value, unit)}>
        {exactAmount(value, unit)}
      </span>
      {value === null ? null : ` ${word}`}
    </>
  )
  return (
    <div className="arithmetic">
      {share === undefined ? null : <Share share={share} />}
      {share === undefined ? null : ' '}
      {amount('required', required, 'needed')}
      {required !== null && actual !== null ? (shortfall === null ? ', ' : ' − ') : null}
      {amount('actual', actual, 'available')}
      {shortfall === null ? null : ' = '}
      {amount('shortfall', shortfall, 'missing')}
      {fact === undefined ? null : <span className="dimmed"> (from {[fact.source.kind, fact.source.ref].filter(Boolean).join(' ')})</span>}
    </div>
  )
}
