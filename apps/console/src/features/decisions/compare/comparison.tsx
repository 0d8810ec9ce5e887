import { Alert, Anchor, Badge, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount, formatTime, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { PanelCall } from '../../../ui/dialog/panel-call.tsx'
import { FieldChanges } from '../../../ui/field-changes.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { ScrollBox } from '../../../ui/table/scroll-box.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { countHosts } from '../facts.ts'
import { barShare, type Scale } from '../funnel.ts'
import { hostOutcomeText, nameOfHost, shownHost } from '../names.ts'
import { Outcome } from '../outcome.tsx'
import { COMPARE } from './compare-documents.ts'
import '../filters/funnel.css'
import './compare.css'

type Compared = ResultOf<typeof COMPARE>['compareDecisions']

interface ComparisonProps {
  readonly a: string
  readonly b: string
  readonly scale: Scale
  onOpen(host: string): void
}

const causes: Readonly<Record<string, string>> = {
  SPEC: 'the request',
  PROFILE: 'the profile',
  FLEET: 'the fleet',
  RANDOM: 'the seed',
  MIXED: 'several together',
  NONE: 'nothing',
  UNKNOWN: 'no longer known',
}

/** The cause of the different results, and all differences. `a` is the decision to compare with, and `b` the decision of the page. */
export function Comparison({ a, b, scale, onOpen }: ComparisonProps) {
  const variables = { a, b }
  const { data, error, refetch, isPlaceholderData } = useOperation(COMPARE, variables, { staleMs: 60_000, keepPrevious: false })
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton height={160} mt="xs" role="status" aria-label="Both decisions are being replayed" />
  const compared = data.compareDecisions
  return (
    <Stack gap="sm" mt="xs" data-compared={compared.cause} className={isPlaceholderData ? 'stale' : undefined}>
      <Group gap="xs" align="baseline">
        <Badge variant="light" tt="none" color={compared.cause === 'NONE' ? 'gray' : 'blue'}>
          cause: {causes[compared.cause] ?? compared.cause.toLowerCase()}
        </Badge>
        <PanelCall of="The comparison of both decisions" document={COMPARE} variables={variables} />
        <Text data-cause-text role="status">
          {compared.text}
        </Text>
      </Group>
      {compared.fidelity === 'APPROXIMATE' ? (
        <Alert color="yellow" p="xs" title="Approximate">
          {compared.approximateBecause}
        </Alert>
      ) : null}
      <Blocks compared={compared} />
      <PairedFunnel compared={compared} scale={scale} />
      <Flipped compared={compared} onOpen={onOpen} />
    </Stack>
  )
}

/** The differences between the two decisions, in two columns. Inputs that are equal are summarised in one line. */
function Blocks({ compared }: { readonly compared: Compared }) {
  const { specChanges, profileChanges, fleetChangedHosts } = compared
  const same = [
    ...(specChanges.length === 0 ? ['request'] : []),
    ...(profileChanges.length === 0 ? ['profile'] : []),
    ...(fleetChangedHosts === 0 ? ['state of the fleet that decisions read'] : []),
  ]
  return (
    <>
      <div className="compare-blocks">
        {specChanges.length === 0 ? null : (
          <Block title="Request">
            <FieldChanges
              label="Fields in which the two requests differ"
              maxHeight="240px"
              sides={['First', 'Second']}
              changes={specChanges}
            />
          </Block>
        )}
        {profileChanges.length === 0 ? null : (
          <Block title="Profile">
            <FieldChanges
              label="Fields in which the two profiles differ"
              maxHeight="240px"
              sides={['First', 'Second']}
              changes={profileChanges}
            />
          </Block>
        )}
        {!fleetChangedHosts ? null : (
          <Block title="Fleet">
            <FleetChanges compared={compared} />
          </Block>
        )}
      </div>
      {same.length === 0 ? null : (
        <Text size="sm" c="dimmed">
          Both decisions have the same {same.join(', the same ')}.
        </Text>
      )}
    </>
  )
}

function Block({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={`${title} of both decisions`}>
      <Text component="h3" fw={600} size="sm">
        {title}
      </Text>
      {children}
    </section>
  )
}

function FleetChanges({ compared: { fleetChangedHosts, fleetChanges, a, b } }: { readonly compared: Compared }) {
  return (
    <>
      <Text size="sm">
        {countHosts(fleetChangedHosts ?? 0)} differ between revision {a.fleetRevision} and {b.fleetRevision}:
      </Text>
      <ul className="plain">
        {fleetChanges.map(({ field, hosts }) => (
          <li key={field}>
            <Text size="sm" component="span">
              <span className="mono">{field}</span> on {countHosts(hosts)}
            </Text>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The funnels of both decisions: the count of hosts that remain after each filter. */
function PairedFunnel({ compared: { a, b, steps }, scale }: { readonly compared: Compared; readonly scale: Scale }) {
  const zone = useTimeZone()
  const most = Math.max(a.hostCount, b.hostCount)
  const head = (side: Compared['a'], name: string) => (
    <>
      {name} <Outcome outcome={side.outcome} />{' '}
      <AnchorLink size="sm" to="/decisions/$id" params={{ id: side.id }} title={titleOfTime(side.at)}>
        {formatTime(side.at, zone)}
      </AnchorLink>
    </>
  )
  return (
    <ScrollBox label="Filter funnels of both decisions">
      <Table verticalSpacing={2} className="compare-funnel">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Hosts left after</Table.Th>
            <Table.Th colSpan={2}>{head(a, 'First')}</Table.Th>
            <Table.Th colSpan={2}>{head(b, 'Second (this decision)')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Table.Tr>
            <Table.Td>all hosts</Table.Td>
            <Left hosts={a.hostCount} most={most} scale={scale} />
            <Left hosts={b.hostCount} most={most} scale={scale} />
          </Table.Tr>
          {steps.map(({ filter, aPassed, bPassed }) => (
            <Table.Tr key={filter} data-step={filter}>
              <Table.Td>{filter}</Table.Td>
              <Left hosts={aPassed} most={most} scale={scale} />
              <Left hosts={bPassed} most={most} scale={scale} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}

function Left({ hosts, most, scale }: { readonly hosts: number | null; readonly most: number; readonly scale: Scale }) {
  return (
    <>
      <Table.Td className="number">{hosts === null ? <span className="dimmed">not run</span> : formatCount(hosts)}</Table.Td>
      <Table.Td className="compare-bar">
        <span className="funnel-track" aria-hidden>
          <span className="funnel-bar" style={{ width: `${barShare(hosts ?? 0, most, scale) * 100}%` }} />
        </span>
      </Table.Td>
    </>
  )
}

/** The hosts whose results differ between the two decisions, each with the reason. */
function Flipped({ compared: { flipped, flippedCount }, onOpen }: { readonly compared: Compared; onOpen(host: string): void }) {
  if (flippedCount === 0) return <Text size="sm">All hosts have the same result in both decisions.</Text>
  return (
    <div data-flipped={flippedCount}>
      <Text size="sm">
        {countHosts(flippedCount)} with different results in the two decisions
        {flipped.length < flippedCount ? `; the first ${formatCount(flipped.length)}:` : ':'}
      </Text>
      <SmallTable
        label="Hosts with different results in the two decisions"
        maxHeight="320px"
        rows={flipped.map((flip) => ({ ...flip, name: nameOfHost(flip), shown: shownHost(flip) }))}
        rowKey={({ name }) => name}
        rowAttributes={({ name }) => ({ 'data-flip': name })}
        columns={[
          {
            head: 'Host',
            cell: ({ name, shown }) => (
              <Anchor component="button" type="button" size="sm" onClick={() => onOpen(name)} aria-label={`Why ${shown}`}>
                {shown}
              </Anchor>
            ),
          },
          { head: 'First', cell: ({ a }) => hostOutcomeText(a) },
          { head: 'Second', cell: ({ b }) => hostOutcomeText(b) },
          { head: 'Reason', cell: ({ because }) => because },
        ]}
      />
    </div>
  )
}
