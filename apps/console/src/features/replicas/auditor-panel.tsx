import { Alert, Badge, Button, Code, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCount, formatDuration, readDuration } from '../../lib/format.ts'
import { Age } from '../../ui/age.tsx'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { Heading } from '../../ui/heading.tsx'
import { ScrollBox } from '../../ui/table/scroll-box.tsx'
import type { ReplicaStates } from './compare.ts'
import { type Finding, RepairFinding } from './repair-finding.tsx'
import './auditor-panel.css'

type Auditor = ReplicaStates['auditor']

/**
 * What the auditor of the answering replica found in the replica's state and in the reports of hosts, and the time of its last full check.
 */
export function AuditorPanel({ replica, auditor }: { readonly replica: string; readonly auditor: Auditor }) {
  const { violations, warnings, notices, findings, counts } = auditor
  const more = violations + warnings + notices - findings.length
  const [repairing, setRepairing] = useState<Finding | undefined>()
  return (
    <section aria-label="Auditor" data-violations={violations}>
      <Heading keys="3">Auditor</Heading>
      <Text size="sm" role="status">
        <Looked auditor={auditor} />
      </Text>
      {violations === 0 ? (
        <Text size="sm">
          {auditor.checkedAt === null ? 'No violations found so far; not everything is checked yet' : 'No violations found'}
          <Clean auditor={auditor} />.
        </Text>
      ) : (
        <Alert color="red" p="xs" title={`${formatCount(violations)} ${violations === 1 ? 'violation' : 'violations'}`}>
          Find out how the state of {replica} differs from the log, then rebuild its state without --dry-run:{' '}
          <Code>gantt replicas --heal --dry-run</Code>.
        </Alert>
      )}
      <Text size="sm" data-warnings={warnings} data-notices={notices}>
        Reports of hosts: {formatCount(warnings)} {warnings === 1 ? 'contradiction' : 'contradictions'} to the claims,{' '}
        {formatCount(notices)} {notices === 1 ? 'notice' : 'notices'}.
      </Text>
      {findings.length === 0 ? null : <Findings findings={findings} onRepair={setRepairing} />}
      {more <= 0 ? null : (
        <Text size="sm" data-more={more}>
          {formatCount(more)} more are not shown; <Code>gantt findings</Code> lists all. Findings by code:{' '}
          {[...counts]
            .reverse()
            .map(({ code, count }) => `${code} ${formatCount(count)}`)
            .join(', ')}
          .
        </Text>
      )}
      {repairing === undefined ? null : <RepairFinding finding={repairing} onClose={() => setRepairing(undefined)} />}
    </section>
  )
}

/** Since when there has been no violation, and how many checks were made since then. */
function Clean({ auditor: { cleanSince, cleanLooks, cleanRounds } }: { readonly auditor: Auditor }) {
  if (cleanSince === null) return null
  return (
    <span data-clean-looks={cleanLooks}>
      {' '}
      since <Age atMs={Date.parse(cleanSince)} ago />, in {formatCount(cleanLooks)} checks of {formatCount(cleanRounds)}{' '}
      {cleanRounds === 1 ? 'round' : 'rounds'}
    </span>
  )
}

function Looked({ auditor: { checkedAt, round, rounds, looked, comparisons, agreedAt } }: { readonly auditor: Auditor }) {
  if (checkedAt === null) return <>First full check in progress; checked so far: {formatCount(looked)}.</>
  return (
    <>
      Last full check: <Age atMs={Date.parse(checkedAt)} ago /> (number {formatCount(rounds)}
      {round === null ? '' : `, took ${formatDuration(readDuration(round))}`}).{' '}
      {comparisons === 0 ? (
        'No other replica to compare with.'
      ) : (
        <>
          {formatCount(comparisons)} digests were compared with those of others
          {agreedAt === null ? (
            '; none was equal'
          ) : (
            <>
              , one was equal <Age atMs={Date.parse(agreedAt)} ago />
            </>
          )}
          .
        </>
      )}
    </>
  )
}

const COLOURS = { VIOLATION: 'red', WARNING: 'yellow', NOTICE: 'gray' } as const

interface FindingsProps extends Pick<Auditor, 'findings'> {
  onRepair(finding: Finding): void
}

function Findings({ findings, onRepair }: FindingsProps) {
  return (
    <ScrollBox label="Findings" maxHeight="420px">
      {findings.map((finding) => (
        <Row key={finding.id} finding={finding} onRepair={onRepair} />
      ))}
    </ScrollBox>
  )
}

/** A finding as sentences over the whole width, because in columns its long texts and ids would wrap too often. */
function Row({ finding, onRepair }: { readonly finding: Finding } & Pick<FindingsProps, 'onRepair'>) {
  const { code, severity, promise, subject, name, host, hostName, node, claim, field, expected, actual, since, repair } = finding
  const link = host === null ? null : hostName === null ? host : <HostLink text={host} host={hostName} node={node} />
  return (
    <article className="finding" data-finding={code} aria-label={`${code} of ${name}`}>
      <Group gap="xs" justify="space-between">
        <Text size="sm" fw={600}>
          <Badge variant="light" size="sm" color={COLOURS[severity]} tt="none">
            {severity.toLowerCase()}
          </Badge>{' '}
          {code}
        </Text>
        <Text size="xs" c="dimmed">
          promise {promise}, <Age atMs={Date.parse(since)} ago />
        </Text>
      </Group>
      <Text size="sm" className="running-text">
        {subject} {host === name ? link : name}
        {host === null || host === name ? null : <> on {link}</>}
        {claim === null ? null : (
          <>
            , claim{' '}
            <AnchorLink size="sm" to="/claims" search={{ q: `id:${claim}` }}>
              {claim}
            </AnchorLink>
          </>
        )}
        : {field} should be <b>{expected}</b>, found <b>{actual}</b>.
      </Text>
      <Text size="sm" className="running-text">
        {repair.text}{' '}
        {repair.automatic ? (
          <Button size="compact-xs" variant="light" onClick={() => onRepair(finding)}>
            Repair
          </Button>
        ) : null}
      </Text>
    </article>
  )
}

interface HostLinkProps {
  readonly text: string
  readonly host: string
  readonly node: string | null
}

function HostLink({ text, host, node }: HostLinkProps) {
  return (
    <AnchorLink size="sm" to="/hosts/$host" params={{ host }} search={node === null || node === host ? {} : { node }}>
      {text}
    </AnchorLink>
  )
}
