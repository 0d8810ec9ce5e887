import { Button, Group, SegmentedControl, Stack, Text, UnstyledButton } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { barShare } from './funnel.ts'
import type { Selection } from './matrix.ts'

export interface FunnelStep {
  readonly index: number
  readonly name: string
  readonly entered: number
  readonly passed: number
  readonly rejected: number
  readonly soleRejections: number
  readonly skippedBecause: string | null
  readonly reasons: readonly { readonly code: string; readonly hosts: number; readonly text: string }[]
}

export interface FilterFunnelProps {
  readonly hostCount: number
  readonly steps: readonly FunnelStep[]
  readonly selection: Selection
  /** A count was chosen: exactly these hosts are wanted. */
  onSelect(selection: Selection): void
}

/** Where the hosts went, filter by filter in the order of running. Every count opens the hosts behind it. */
export function FilterFunnel({ hostCount, steps, selection, onSelect }: FilterFunnelProps) {
  const [scale, setScale] = useState<'linear' | 'log'>(hostCount > 50 ? 'log' : 'linear')
  const asked = steps.filter(({ skippedBecause }) => skippedBecause === null)
  const idle = steps.filter(({ skippedBecause }) => skippedBecause !== null)
  const left = asked.at(-1)?.passed ?? hostCount
  return (
    <section aria-label="Filters" className="funnel">
      <Group justify="space-between" mb={4}>
        <Text component="h2" fw={600} size="md">
          Where the hosts went
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Scale of the bars"
          value={scale}
          onChange={(next) => setScale(next === 'log' ? 'log' : 'linear')}
          data={[
            { value: 'linear', label: 'Linear' },
            { value: 'log', label: 'Log' },
          ]}
        />
      </Group>
      <Stack gap={2} component="ol" className="funnel-steps">
        <li className="funnel-step">
          <span className="funnel-name">all hosts</span>
          <Bar share={barShare(hostCount, hostCount, scale)} />
          <Count
            label={`all ${formatCount(hostCount)} hosts`}
            isOn={Object.values(selection).every((one) => one === undefined)}
            onClick={() => onSelect({})}
          >
            {formatCount(hostCount)}
          </Count>
          <span />
        </li>
        {asked.map((step) => (
          <Step key={step.index} step={step} hostCount={hostCount} scale={scale} selection={selection} onSelect={onSelect} />
        ))}
        <li className="funnel-step">
          <span className="funnel-name">left</span>
          <Bar share={barShare(left, hostCount, scale)} />
          <Count
            label={`${formatCount(left)} hosts passed every filter`}
            isOn={selection.passed !== undefined}
            onClick={() => onSelect({ passed: 'yes' })}
          >
            {formatCount(left)}
          </Count>
          <Text size="xs" c="dimmed" data-law="sum">
            {formatCount(asked.reduce((sum, { rejected }) => sum + rejected, 0))} refused + {formatCount(left)} left ={' '}
            {formatCount(hostCount)} hosts
          </Text>
        </li>
      </Stack>
      {idle.length === 0 ? null : <Idle steps={idle} />}
    </section>
  )
}

interface StepProps extends Omit<FilterFunnelProps, 'steps'> {
  readonly step: FunnelStep
  readonly scale: 'linear' | 'log'
}

function Step({ step, hostCount, scale, selection, onSelect }: StepProps) {
  const { name, entered, passed, rejected, soleRejections, reasons } = step
  const isOn = selection.filter === name
  return (
    <li className="funnel-step" data-filter={name}>
      <span className="funnel-name">{name}</span>
      <Bar share={barShare(passed, hostCount, scale)} lost={barShare(entered, hostCount, scale)} />
      {rejected === 0 ? (
        <span className="funnel-count">0</span>
      ) : (
        <Count
          label={`${formatCount(rejected)} hosts refused by ${name}`}
          isOn={isOn && selection.reason === undefined}
          onClick={() => onSelect({ filter: name })}
        >
          −{formatCount(rejected)}
        </Count>
      )}
      <span className="funnel-reasons">
        {reasons.map(({ code, hosts, text }) => (
          <Count
            key={code}
            label={`${formatCount(hosts)} hosts refused by ${name} for ${code}`}
            title={`e.g. ${text}`}
            isOn={isOn && selection.reason === code}
            onClick={() => onSelect({ filter: name, reason: code })}
          >
            {code} {formatCount(hosts)}
          </Count>
        ))}
        {soleRejections === 0 ? null : (
          <Count
            label={`${formatCount(soleRejections)} hosts refused by ${name} alone`}
            title="Without this filter they would have passed."
            isOn={selection.sole === name}
            onClick={() => onSelect({ sole: name })}
          >
            {formatCount(soleRejections)} by it alone
          </Count>
        )}
      </span>
    </li>
  )
}

function Bar({ share, lost = share }: { readonly share: number; readonly lost?: number }) {
  return (
    <span className="funnel-track" aria-hidden>
      <span className="funnel-lost" style={{ width: `${lost * 100}%` }} />
      <span className="funnel-bar" style={{ width: `${share * 100}%` }} />
    </span>
  )
}

interface CountProps {
  readonly label: string
  readonly title?: string
  readonly isOn: boolean
  readonly children: ReactNode
  onClick(): void
}

/** A number that opens the hosts behind it. */
export function Count({ label, title, isOn, children, onClick }: CountProps) {
  return (
    <UnstyledButton className="funnel-count" aria-label={label} aria-pressed={isOn} title={title} onClick={onClick}>
      {children}
    </UnstyledButton>
  )
}

function Idle({ steps }: { readonly steps: readonly FunnelStep[] }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="compact-xs" variant="subtle" mt={4} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {steps.length} {steps.length === 1 ? 'filter' : 'filters'} had nothing to check
      </Button>
      {isOpen ? (
        <ul>
          {steps.map(({ index, name, skippedBecause }) => (
            <li key={index}>
              <Text size="sm" component="span">
                {name}: {skippedBecause}
              </Text>
            </li>
          ))}
        </ul>
      ) : null}
    </>
  )
}
