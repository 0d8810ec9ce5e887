import { Badge, Button, Group, Paper, Skeleton, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { formatCount, formatDuration, formatNumber, readDuration } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/service/api.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { PanelCall } from '../../../ui/dialog/panel-call.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { commandWhyNot } from '../copies.ts'
import { WHY_NOT } from '../documents.ts'
import { hostOfName, hostOutcomeText } from '../names.ts'
import { Checks } from './checks.tsx'
import { Gaps } from './gaps.tsx'
import { HostSince } from './host-since.tsx'

interface HostAnswerProps {
  readonly decisionId: string
  readonly instance: number | null
  readonly profile: string | undefined
  readonly revision: string | undefined
  readonly host: string
  readonly takesFocus: boolean
  onClose(): void
}

/** The explanation for one host: a sentence, every check with its amounts and, if the host passed, its difference from the chosen host. */
export function HostAnswer({ decisionId, instance, profile, revision, host, takesFocus, onClose }: HostAnswerProps) {
  const variables = { id: decisionId, instance, profile: profile ?? null, revision: revision ?? null, ...hostOfName(host) }
  const { data, error, refetch, isPlaceholderData } = useOperation(WHY_NOT, variables)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (data !== undefined && !isPlaceholderData && takesFocus) heading.current?.focus()
  }, [data, isPlaceholderData, takesFocus])
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton height={160} mt="xs" aria-label="The host is being examined" role="status" />
  const { headline, outcome, wouldPassNow, verdict, versusWinner } = data.whyNot
  return (
    <Paper
      withBorder
      p="sm"
      mt="xs"
      data-why-not={isPlaceholderData ? undefined : host}
      className={isPlaceholderData ? 'stale' : undefined}
    >
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <div aria-live="polite">
          <Text component="h3" fw={600} ref={heading} tabIndex={-1}>
            {headline}
          </Text>
        </div>
        <Button size="compact-sm" variant="subtle" onClick={onClose} title="Esc">
          Close
        </Button>
      </Group>
      <Group gap="xs" my={4}>
        <Outcome outcome={outcome} rank={verdict.rank} total={verdict.totalWeight} />
        {verdict.reportAge === null ? null : (
          <Text size="sm" data-report-age>
            Its report was {formatDuration(readDuration(verdict.reportAge))} old.
          </Text>
        )}
        <Text size="sm" data-now={String(wouldPassNow)}>
          {wouldPassNow === null
            ? 'The host is not in the fleet now.'
            : wouldPassNow
              ? 'The host would pass every filter now.'
              : `The host would be refused now${outcome === 'FILTERED' ? ', too' : ''}.`}
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
        <CopyButton text={commandWhyNot(decisionId, instance, host)} variant="subtle">
          Copy as command
        </CopyButton>
        <PanelCall of="The answer about the host" document={WHY_NOT} variables={variables} />
      </Group>
      <HostSince answer={data.whyNot} />
      {versusWinner.length === 0 ? null : <Gaps gaps={versusWinner} />}
      {verdict.checks.length === 0 ? null : <Checks checks={verdict.checks} />}
    </Paper>
  )
}

interface OutcomeProps {
  readonly outcome: string
  readonly rank: number | null
  readonly total: number | null
}

function Outcome({ outcome, rank, total }: OutcomeProps) {
  return (
    <>
      <Badge variant="light" color={outcome === 'FILTERED' ? 'red' : outcome === 'UNKNOWN' ? 'gray' : 'blue'} tt="none">
        {hostOutcomeText(outcome)}
      </Badge>
      {rank === null || rank === 0 ? null : (
        <Text size="sm">
          rank {formatCount(rank)}
          {total === null ? '' : `, total ${formatNumber(total, 5)}`}
        </Text>
      )}
    </>
  )
}
