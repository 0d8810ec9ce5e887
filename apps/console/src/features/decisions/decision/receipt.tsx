import { Badge, Button, Code, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { formatTime, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/service/api.ts'
import { Problem } from '../../../ui/problem.tsx'
import type { Decision } from '../decision-header.tsx'
import { VERIFY } from '../documents.ts'

const outcomes: Readonly<Record<string, { readonly glyph: string; readonly colour: string; readonly word: string }>> = {
  SAME: { glyph: '+', colour: 'green', word: 'the same' },
  DIFFERENT: { glyph: 'x', colour: 'red', word: 'different' },
  UNKNOWN: { glyph: '?', colour: 'gray', word: 'unknown' },
}

/** The stored hashes of a decision, and until when the decision can be replayed. A button checks them against the log and a replay. */
export function Receipt({ decision: { id, receipt, explanationRetainedUntil } }: { readonly decision: Decision }) {
  const zone = useTimeZone()
  const [isAsked, setAsked] = useState(false)
  const { data, error, isFetching, refetch } = useOperation(VERIFY, { id }, { enabled: isAsked, staleMs: 60_000 })
  const verified = data?.verifyDecision
  return (
    <section aria-label="Receipt">
      <Group gap="xs">
        <Text size="xs">Receipt:</Text>
        <Hash name="inputs" hash={receipt.inputs} />
        <Hash name="decided" hash={receipt.decided} />
        <Hash name="matrix" hash={receipt.matrix} />
        {explanationRetainedUntil === null ? null : (
          <Text size="xs" c="dimmed" title={titleOfTime(explanationRetainedUntil)}>
            replayable until {formatTime(explanationRetainedUntil, zone)}
          </Text>
        )}
        <Button size="compact-xs" variant="outline" loading={isFetching} onClick={() => (isAsked ? void refetch() : setAsked(true))}>
          Verify
        </Button>
        {verified === undefined ? null : <Verdict outcome={verified.outcome} text={`verified: ${wordOf(verified.outcome)}`} />}
      </Group>
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {verified === undefined ? null : (
        <ul className="checks" aria-label="Verified parts" data-verified={verified.outcome}>
          {verified.checks.map(({ part, outcome, text }) => (
            <li key={part} data-part={part}>
              <Verdict outcome={outcome} text={part.toLowerCase()} /> {text}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const wordOf = (outcome: string): string => outcomes[outcome]?.word ?? outcome.toLowerCase()

function Verdict({ outcome, text }: { readonly outcome: string; readonly text: string }) {
  const { glyph, colour, word } = outcomes[outcome] ?? { glyph: '?', colour: 'gray', word: outcome }
  return (
    <Badge variant="light" color={colour} tt="none" role="status" aria-label={`${text}, ${word}`}>
      <span aria-hidden className="mono">
        {glyph}{' '}
      </span>
      {text}
    </Badge>
  )
}

/** The beginning of a hash, with the whole hash in the title. */
function Hash({ name, hash }: { readonly name: string; readonly hash: string | null }) {
  return (
    <Text size="xs" component="span">
      <span className="dimmed">{name}</span> {hash === null ? 'not kept' : <Code title={hash}>{hash.slice(0, 12)}</Code>}
    </Text>
  )
}
