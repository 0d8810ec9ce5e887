import { Button, Group, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { Fragment, lazy, type ReactNode, Suspense, useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { Heading } from '../../../ui/heading.tsx'
import { Count } from '../count.tsx'
import { countHosts } from '../facts.ts'
import { barOf, barShare, type Scale } from '../funnel.ts'
import type { Selection } from '../matrix.ts'
import { Short } from './short.tsx'
import { keyOf, type Shortfall } from './shortfalls.ts'
import './funnel.css'

/** Loaded when a reason is first selected. */
const ShortfallBars = lazy(async () => ({ default: (await import('./shortfall-bars.tsx')).ShortfallBars }))

export interface FunnelStep {
  readonly name: string
  readonly entered: number
  readonly passed: number
  readonly rejected: number
  /**
   * How many hosts only this filter refuses. 0 until the decision is replayed. Null if each host was only evaluated up to its first
   * refusal.
   */
  readonly soleRejections: number | null
  readonly skippedBecause: string | null
  readonly isNet: boolean
  readonly reasons: readonly { readonly code: string; readonly hosts: number; readonly text: string }[]
}

export interface FilterFunnelProps {
  readonly hostCount: number
  readonly steps: readonly FunnelStep[]
  readonly scale: Scale
  readonly selection: Selection
  onScale(scale: Scale): void
  /** The missing amounts, by filter and reason. Absent until the decision is replayed. */
  readonly shortfalls?: ReadonlyMap<string, Shortfall> | undefined
  /**
   * Called after a click on a count, with the conditions that select the counted hosts. Absent until it is known which hosts were counted.
   */
  onSelect?: ((selection: Selection) => void) | undefined
}

/** The funnel, filter by filter in the order of evaluation. A click on a count lists the counted hosts. */
export function FilterFunnel(props: FilterFunnelProps) {
  const { hostCount, steps, scale, selection, shortfalls, onScale, onSelect } = props
  const asked = steps.filter(({ skippedBecause }) => skippedBecause === null)
  const idle = steps.filter(({ skippedBecause }) => skippedBecause !== null)
  const left = asked.at(-1)?.passed ?? hostCount
  const { find: _find, ...narrowed } = selection
  return (
    <section aria-label="Filters">
      <Group justify="space-between" mb={4}>
        <Heading keys="2">Filter funnel</Heading>
        <Group gap="md">
          <Key />
          <SegmentedControl
            size="xs"
            aria-label="Scale of the bars"
            value={scale}
            onChange={(next) => onScale(next === 'log' ? 'log' : 'linear')}
            data={[
              { value: 'linear', label: 'Linear' },
              { value: 'log', label: 'Log' },
            ]}
          />
        </Group>
      </Group>
      <div className="funnel-step funnel-heads" aria-hidden>
        <span>filter</span>
        <span />
        <span className="funnel-left">left</span>
        <span className="funnel-refused">refused</span>
        <span>example reason</span>
      </div>
      <ol className="funnel">
        <li className="funnel-step">
          <span className="funnel-name">all hosts</span>
          <Bar left={barShare(hostCount, hostCount, scale)} />
          <span className="funnel-left">
            <Open
              label={`all ${countHosts(hostCount)}`}
              isOn={Object.values(narrowed).every((one) => one === undefined)}
              select={onSelect}
              selection={{}}
            >
              {formatCount(hostCount)}
            </Open>
          </span>
        </li>
        {asked.map((step) => (
          <Step
            key={step.name}
            step={step}
            hostCount={hostCount}
            scale={scale}
            selection={selection}
            shortfalls={shortfalls}
            onSelect={onSelect}
          />
        ))}
        <li className="funnel-step funnel-end">
          <span className="funnel-name">left</span>
          <Bar left={barShare(left, hostCount, scale)} />
          <span className="funnel-left">
            <Open
              label={`${countHosts(left)} passed every filter`}
              isOn={selection.passed !== undefined}
              select={onSelect}
              selection={{ passed: 'yes' }}
            >
              {formatCount(left)}
            </Open>
          </span>
          <span />
          <Text size="xs" c="dimmed" data-law="sum">
            {formatCount(asked.reduce((sum, { rejected }) => sum + rejected, 0))} refused + {formatCount(left)} left ={' '}
            {countHosts(hostCount)}
          </Text>
        </li>
      </ol>
      {idle.length === 0 ? null : <Idle steps={idle} />}
    </section>
  )
}

function Step({
  step,
  hostCount,
  scale,
  selection,
  shortfalls,
  onSelect,
}: Omit<FilterFunnelProps, 'steps' | 'onScale'> & { readonly step: FunnelStep }) {
  const { name, passed, rejected, soleRejections, isNet, reasons } = step
  const { left, refused } = barOf(step, hostCount, scale)
  const isOn = selection.filter === name
  const shortfallOf = (code: string): Shortfall | undefined => shortfalls?.get(keyOf(name, code))
  const chosen = isOn && selection.reason !== undefined ? shortfallOf(selection.reason) : undefined
  return (
    <li className="funnel-step" data-filter={name}>
      <span className="funnel-name">
        {name}
        {isNet ? (
          <span
            className="funnel-net"
            title="This filter is not part of the profile. Every claim has to satisfy it, so it checks the hosts that pass the profile's filters."
          >
            {' '}
            net
          </span>
        ) : null}
      </span>
      <Bar left={left} refused={refused} />
      <span className="funnel-left">{formatCount(passed)}</span>
      {rejected === 0 ? (
        <span className="funnel-refused">0</span>
      ) : (
        <span className="funnel-refused">
          <Open
            label={`${countHosts(rejected)} refused by ${name}`}
            isOn={isOn && selection.reason === undefined}
            select={onSelect}
            selection={{ filter: name }}
          >
            −{formatCount(rejected)}
          </Open>
        </span>
      )}
      <span className="funnel-reasons">
        {reasons.map(({ code, hosts: count, text }) => {
          const shortfall = shortfallOf(code)
          return (
            <Fragment key={code}>
              <Open
                label={`${countHosts(count)} refused by ${name} for ${code}`}
                title={text}
                isOn={isOn && selection.reason === code && selection.short === undefined}
                select={onSelect}
                selection={{ filter: name, reason: code }}
              >
                {code} {formatCount(count)}
              </Open>
              {shortfall === undefined ? null : <Short shortfall={shortfall} />}
            </Fragment>
          )
        })}
        {soleRejections === null || soleRejections === 0 ? null : (
          <Open
            label={`${countHosts(soleRejections)} refused by ${name} alone`}
            title="Without this filter they would have passed."
            isOn={selection.sole === name}
            select={onSelect}
            selection={{ sole: name }}
          >
            {formatCount(soleRejections)} refused only by this filter
          </Open>
        )}
        {reasons[0] === undefined ? null : (
          <Text size="xs" c="dimmed" className="funnel-example" title={reasons[0].text}>
            {reasons[0].text}
          </Text>
        )}
      </span>
      {chosen === undefined || selection.reason === undefined || onSelect === undefined ? null : (
        <Suspense fallback={<Skeleton height={100} role="status" aria-label="The shortfalls of the refused hosts are being loaded" />}>
          <ShortfallBars filter={name} code={selection.reason} shortfall={chosen} selection={selection} onSelect={onSelect} />
        </Suspense>
      )}
    </li>
  )
}

interface OpenProps {
  readonly label: string
  readonly title?: string
  readonly isOn: boolean
  readonly select: ((selection: Selection) => void) | undefined
  readonly selection: Selection
  readonly children: ReactNode
}

function Open({ label, title, isOn, select, selection, children }: OpenProps) {
  if (select === undefined) return <span>{children}</span>
  return (
    <Count label={label} title={title} isOn={isOn} onClick={() => select(isOn ? {} : selection)}>
      {children}
    </Count>
  )
}

/** A bar with the remaining hosts at the left, then the refused hosts of each reason. */
function Bar({ left, refused = [] }: { readonly left: number; readonly refused?: ReturnType<typeof barOf>['refused'] }) {
  return (
    <span className="funnel-track" aria-hidden>
      <span className="funnel-bar" style={{ width: `${left * 100}%` }} />
      {refused.map(({ code, hosts: count, from, to }) => (
        <span
          key={code}
          className="funnel-lost"
          title={`${code} ${formatCount(count)}`}
          style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
        />
      ))}
    </span>
  )
}

function Key() {
  return (
    <Text size="xs" c="dimmed" component="span" className="funnel-key" aria-hidden>
      <i className="funnel-bar" /> left <i className="funnel-lost" /> refused
    </Text>
  )
}

function Idle({ steps }: { readonly steps: readonly FunnelStep[] }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="compact-sm" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {steps.length} {steps.length === 1 ? 'filter' : 'filters'} had nothing to check
      </Button>
      {isOpen ? (
        <ul className="plain">
          {steps.map(({ name, skippedBecause }) => (
            <li key={name}>
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
