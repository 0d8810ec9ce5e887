import { withTerm } from '@gantt/scheduler-core/query'
import { Button, NativeSelect, Skeleton, Text, TextInput } from '@mantine/core'
import { type FormEvent, lazy, Suspense, useId, useState } from 'react'
import { formatTime, useTimeZone } from '../../../lib/format.ts'
import { labelOfHost } from '../../../lib/host-label.ts'
import { useOperation } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { Heading } from '../../../ui/heading.tsx'
import type { Decision } from '../decision-header.tsx'
import type { Scale } from '../funnel.ts'
import { OTHERS } from './compare-documents.ts'
import { othersOf } from './others.ts'
import './compare.css'

/** Loaded when another decision is selected. */
const Comparison = lazy(async () => ({ default: (await import('./comparison.tsx')).Comparison }))

interface CompareProps {
  readonly decision: Decision
  /** The id of the decision to compare with. Undefined if none is selected. */
  readonly other: string | undefined
  readonly scale: Scale
  onChoose(other: string | undefined): void
  onOpen(host: string): void
}

/** The comparison with a similar decision, or with any decision by its id. */
export function Compare({ decision, other, scale, onChoose, onOpen }: CompareProps) {
  const id = useId()
  const [isLooking, setLooking] = useState(false)
  const [picked, setPicked] = useState<string | undefined>()
  const [written, setWritten] = useState('')
  const { id: decisionId, spec } = decision
  const { data } = useOperation(OTHERS, { id: decisionId, spec: spec.id, q: likeIt(spec) }, { enabled: isLooking, staleMs: 10_000 })
  const { others, best } = othersOf(decisionId, data)
  const suggested = picked ?? best?.id
  const label = useLabel()
  const compare = (event: FormEvent): void => {
    event.preventDefault()
    onChoose(written.trim() === '' ? suggested : written.trim())
  }
  return (
    <section aria-label="Compare" onFocus={() => setLooking(true)} onPointerEnter={() => setLooking(true)}>
      <Heading keys="6">Compare with another decision</Heading>
      <form onSubmit={compare} className="compare-form">
        <NativeSelect
          size="xs"
          label="Similar decision"
          value={suggested ?? ''}
          disabled={written.trim() !== ''}
          data={
            others.length === 0
              ? [{ value: '', label: isLooking && data !== undefined ? 'no other decision' : 'newest first' }]
              : others.map((one) => ({ value: one.id, label: label(one) }))
          }
          onChange={({ currentTarget }) => setPicked(currentTarget.value)}
        />
        <TextInput
          size="xs"
          id={`${id}-other`}
          label="Any decision, by its id"
          value={written}
          autoComplete="off"
          spellCheck={false}
          onChange={({ currentTarget }) => setWritten(currentTarget.value)}
        />
        <Button type="submit" size="xs" variant="outline" disabled={written.trim() === '' && suggested === undefined}>
          Compare
        </Button>
        {other === undefined ? null : (
          <Button size="xs" variant="subtle" onClick={() => onChoose(undefined)}>
            Close the comparison
          </Button>
        )}
      </form>
      {other === undefined ? (
        <Text size="xs" c="dimmed">
          The differences between the two decisions, and which of them caused the different hosts.
        </Text>
      ) : (
        <Suspense fallback={<Skeleton height={120} role="status" aria-label="The comparison is being loaded" />}>
          <Comparison a={other} b={decision.id} scale={scale} onOpen={onOpen} />
        </Suspense>
      )}
    </section>
  )
}

/**
 * A filter for decisions on requests with the same flavor. If the request has no flavor name, the filter is empty and finds all decisions.
 */
const likeIt = ({ flavorName }: Decision['spec']): string => (flavorName === null ? '' : withTerm('', 'flavor', flavorName))

type Others = ResultOf<typeof OTHERS>
type Other = Others['decisions']['nodes'][number]

function useLabel(): (other: Other) => string {
  const zone = useTimeZone()
  return ({ at, outcome, spec, destinations }) => {
    const [first] = destinations
    const where = first === undefined ? outcome.toLowerCase().replaceAll('_', ' ') : labelOfHost(first.selected.host)
    return `${formatTime(at, zone)}, ${spec.flavorName ?? `${spec.vcpus} vCPU`}, ${where}`
  }
}
