import { Badge, Button, Group, Paper, Skeleton, Table, Text, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useOperation } from '../../lib/api.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { useShortcuts } from '../../lib/keys.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { WHY_NOT } from './documents.ts'

interface WhyNotProps {
  readonly decisionId: string
  readonly instance: number | null
  /** `host` or `host/node`; undefined: nothing is asked yet. */
  readonly host: string | undefined
  onAsk(host: string | undefined): void
}

/** Why not this host: any name may be asked for, also one that nobody knows. */
export function WhyNot({ decisionId, instance, host, onAsk }: WhyNotProps) {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(host ?? '')
  useEffect(() => setText(host ?? ''), [host])
  useShortcuts([
    { keys: 'w', label: 'Ask why not a host', run: () => input.current?.focus() },
    { keys: 'Escape', label: 'Close the answer about a host', run: () => onAsk(undefined) },
  ])
  const ask = (event: FormEvent): void => {
    event.preventDefault()
    onAsk(text.trim() || undefined)
  }
  return (
    <section aria-label="Why not a host">
      <form onSubmit={ask}>
        <Group gap="xs" align="flex-end">
          <TextInput
            ref={input}
            label="Why not host"
            size="xs"
            placeholder="name of a host"
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Button type="submit" size="xs" variant="outline">
            Ask
          </Button>
        </Group>
      </form>
      {host === undefined ? null : <Answer decisionId={decisionId} instance={instance} host={host} onClose={() => onAsk(undefined)} />}
    </section>
  )
}

interface AnswerProps {
  readonly decisionId: string
  readonly instance: number | null
  readonly host: string
  onClose(): void
}

function Answer({ decisionId, instance, host, onClose }: AnswerProps) {
  const [name = host, node = null] = host.split('/')
  const { data, error, refetch } = useOperation(WHY_NOT, { id: decisionId, instance, host: name, node }, { keepPrevious: false })
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (data !== undefined) heading.current?.focus()
  }, [data])
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton height={160} mt="xs" aria-label="The host is being examined" role="status" />
  const { headline, outcome, wouldPassNow, verdict, versusWinner } = data.whyNot
  return (
    <Paper withBorder p="sm" mt="xs" data-why-not={host}>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Text component="h3" fw={600} ref={heading} tabIndex={-1}>
          {headline}
        </Text>
        <Button size="compact-xs" variant="subtle" onClick={onClose}>
          Close
        </Button>
      </Group>
      <Group gap="xs" my={4}>
        <Badge variant="light" color={outcome === 'FILTERED' ? 'red' : 'blue'} tt="none">
          {outcome.toLowerCase().replaceAll('_', ' ')}
        </Badge>
        <Text size="sm">
          {wouldPassNow === null
            ? 'It is not there now.'
            : wouldPassNow
              ? 'It would pass every filter now.'
              : 'It would be refused now, too.'}
        </Text>
        {outcome === 'UNKNOWN' ? null : (
          <AnchorLink
            size="sm"
            to="/hosts/$host"
            params={{ host: verdict.hostName }}
            search={verdict.node === verdict.hostName ? {} : { node: verdict.node }}
          >
            Open the host
          </AnchorLink>
        )}
      </Group>
      {verdict.checks.length === 0 ? null : <Checks checks={verdict.checks} />}
      {versusWinner.length === 0 ? null : <Gaps gaps={versusWinner} />}
    </Paper>
  )
}

type Answered = ResultOf<typeof WHY_NOT>['whyNot']

const signs: Readonly<Record<string, { readonly glyph: string; readonly word: string; readonly kind: string }>> = {
  PASS: { glyph: '+', word: 'passes', kind: 'pass' },
  FAIL: { glyph: 'x', word: 'refuses', kind: 'fail' },
  ERROR: { glyph: '!', word: 'failed, so it refuses', kind: 'fail' },
  NOT_RUN: { glyph: '·', word: 'not run', kind: 'skipped' },
  NOT_ASKED: { glyph: '–', word: 'nothing to check', kind: 'skipped' },
}

/** Every filter's word with its numbers: needed, there, missing, and where the number comes from. */
function Checks({ checks }: { readonly checks: Answered['verdict']['checks'] }) {
  const told = checks.filter(({ status }) => status !== 'NOT_ASKED')
  const idle = checks.length - told.length
  return (
    <ScrollBox label="Checks">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Filter</Table.Th>
            <Table.Th>Word</Table.Th>
            <Table.Th>Needed</Table.Th>
            <Table.Th>There</Table.Th>
            <Table.Th>Missing</Table.Th>
            <Table.Th>Why</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {told.map(({ filter, status, text, facts: [fact] }) => {
            const { glyph, word, kind } = signs[status] ?? { glyph: '?', word: status, kind: 'skipped' }
            const unit = fact?.unit ? ` ${fact.unit}` : ''
            const amount = (value: string | null | undefined): string => (value === null || value === undefined ? '' : `${value}${unit}`)
            return (
              <Table.Tr key={filter} data-check={filter} data-status={status}>
                <Table.Td>{filter}</Table.Td>
                <Table.Td>
                  <span className={`verdict verdict-${kind}`}>{glyph}</span> {word}
                </Table.Td>
                <Table.Td data-fact="required">{amount(fact?.required)}</Table.Td>
                <Table.Td data-fact="actual">{amount(fact?.actual)}</Table.Td>
                <Table.Td data-fact="shortfall">{amount(fact?.shortfall)}</Table.Td>
                <Table.Td>
                  {text}
                  {fact === undefined ? null : (
                    <Text size="xs" c="dimmed" component="span">
                      {' '}
                      ({[fact.source.kind, fact.source.ref].filter(Boolean).join(' ')})
                    </Text>
                  )}
                </Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
      {idle === 0 ? null : (
        <Text size="xs" c="dimmed">
          {idle} more {idle === 1 ? 'filter' : 'filters'} had nothing to check.
        </Text>
      )}
    </ScrollBox>
  )
}

/** Weigher by weigher: how far it stayed behind the host that was taken. */
function Gaps({ gaps }: { readonly gaps: Answered['versusWinner'] }) {
  return (
    <ScrollBox label="Against the host that was taken">
      <Table mt="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Weigher</Table.Th>
            <Table.Th>This host</Table.Th>
            <Table.Th>The one taken</Table.Th>
            <Table.Th>Gap in the total</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {gaps.map(({ weigher, unit, hostRaw, winnerRaw, gap }) => (
            <Table.Tr key={weigher}>
              <Table.Td>{weigher}</Table.Td>
              <Table.Td>
                {hostRaw} {unit}
              </Table.Td>
              <Table.Td>
                {winnerRaw} {unit}
              </Table.Td>
              <Table.Td>{signed(-gap)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}

const signed = (value: number): string =>
  Math.abs(value) < 5e-7 ? '0' : `${value > 0 ? '+' : '−'}${Number(Math.abs(value).toPrecision(4))}`
