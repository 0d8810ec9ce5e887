import { Button, Skeleton, Table, Text } from '@mantine/core'
import { useMemo } from 'react'
import { nameOfFlavor, requestOfFlavor } from '../../lib/flavors.ts'
import { formatCount, formatGib, formatMib } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { PanelCall } from '../../ui/dialog/panel-call.tsx'
import { Heading } from '../../ui/heading.tsx'
import { AsOf, useSilence } from '../../ui/stale.tsx'
import { ScrollBox } from '../../ui/table/scroll-box.tsx'
import { FITS } from './documents.ts'
import { type Flavor, fitsOf } from './figures.ts'
import { flavorsOf, keyOf, MAX_PINS, type Pin } from './pins.ts'

interface FitsNowProps {
  /** The flavors, most requested first. */
  readonly asked: readonly Flavor[]
  readonly pins: readonly Pin[]
  onPin(pins: readonly Pin[]): void
  /** Names of all zones. */
  readonly zones: readonly string[]
}

/**
 * The most requested flavors fill the table up to MAX_FLAVORS rows. The table has more rows only if more flavors are pinned. The table has
 * columns for at most MAX_ZONES zones.
 */
const MAX_FLAVORS = 5
const MAX_ZONES = 8
/** The interval of counts in milliseconds. It is long, because the service examines every host for each count. */
const REFRESH_MS = 30_000

/**
 * How many more instances fit now, by zone, for pinned flavors and for the most requested ones. Also shows how many instances are lost
 * because the free capacity of a zone is spread over several hosts.
 */
export function FitsNow({ asked, pins, onPin, zones }: FitsNowProps) {
  const flavors = flavorsOf(pins, asked, MAX_FLAVORS)
  const shown = zones.slice(0, MAX_ZONES)
  return (
    <section aria-label="Remaining capacity">
      <Heading keys="2">Remaining capacity</Heading>
      {flavors.length === 0 ? (
        <Text size="sm" c="dimmed">
          No requests within the last day, so there are no flavors to count. Use Simulate to count any flavor.
        </Text>
      ) : (
        <ScrollBox label="Remaining capacity by flavor and zone">
          <Table verticalSpacing={2} horizontalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th title="Pinned flavors, then those requested most">Flavor</Table.Th>
                {shown.map((zone) => (
                  <Table.Th key={zone} className="number">
                    {zone}
                  </Table.Th>
                ))}
                <Table.Th className="number">All zones</Table.Th>
                <Table.Th
                  className="number"
                  title="Of the instances of this flavor that would fit if all free capacity of each zone were on one host, the share that does not fit. 0: nothing is lost; 1: no instance fits."
                >
                  Fragmentation
                </Table.Th>
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {flavors.map(({ pin, isPinned }) => (
                <FitsRow
                  key={keyOf(pin)}
                  flavor={pin}
                  zones={shown}
                  isPinned={isPinned}
                  {...(isPinned || pins.length < MAX_PINS
                    ? { onPin: () => onPin(isPinned ? pins.filter((one) => keyOf(one) !== keyOf(pin)) : [...pins, pin]) }
                    : {})}
                />
              ))}
            </Table.Tbody>
          </Table>
        </ScrollBox>
      )}
      {zones.length > shown.length ? (
        <Text size="xs" c="dimmed">
          The first {MAX_ZONES} of {formatCount(zones.length)} zones have a column; all are counted.
        </Text>
      ) : null}
    </section>
  )
}

/** A fragmentation above this share is shown as a problem. */
const MUCH = 0.5

interface FitsRowProps {
  readonly flavor: Pin
  readonly zones: readonly string[]
  readonly isPinned: boolean
  /** Pins the flavor, or removes its pin. Absent if no further flavor can be pinned. */
  onPin?(): void
}

function FitsRow({ flavor, zones, isPinned, onPin }: FitsRowProps) {
  // as long as the flavor is the same, the variables must be the same object at each rendering
  const asked = JSON.stringify(flavor)
  const variables = useMemo(() => ({ spec: { gantt: { flavor: JSON.parse(asked) as Pin } } }), [asked])
  const { data, error, dataUpdatedAt } = useOperation(FITS, variables, { everyMs: REFRESH_MS, staleMs: REFRESH_MS })
  const silence = useSilence({ atMs: dataUpdatedAt, everyMs: REFRESH_MS })
  const isOld = Boolean(error) || silence !== undefined
  const counted = data === undefined ? undefined : fitsOf(data.capacity)
  const size = `${flavor.vcpus} vCPU, ${formatMib(flavor.memoryMb)}, ${formatGib(flavor.rootGb + flavor.ephemeralGb)} disk`
  return (
    <Table.Tr data-flavor={nameOfFlavor(flavor)} data-pinned={isPinned || undefined} className={isOld ? 'stale' : undefined}>
      <Table.Td title={size}>
        <AnchorLink
          size="sm"
          to="/simulate"
          search={{ request: JSON.stringify(requestOfFlavor({ ...flavor, decisions: 0 })) }}
          title={`Simulate ${size}`}
        >
          {nameOfFlavor(flavor)}
        </AnchorLink>
        {isOld && data !== undefined ? <AsOf atMs={dataUpdatedAt} silence={silence} /> : null}
      </Table.Td>
      {counted === undefined ? (
        <Table.Td colSpan={zones.length + 2}>
          {error ? <span role="alert">! not counted: {error.message}</span> : <Skeleton height={14} role="status" aria-label="Counting" />}
        </Table.Td>
      ) : (
        <>
          {zones.map((zone) => (
            <Table.Td key={zone} className="number" data-zone={zone}>
              {/* a zone that was not counted in time is not shown as full */}
              {counted.exact ? '' : <abbr title="at least">≥ </abbr>}
              {formatCount(counted.byZone.get(zone) ?? 0)}
            </Table.Td>
          ))}
          <Table.Td className="number" data-fits={counted.fits}>
            {counted.exact ? '' : 'at least '}
            {formatCount(counted.fits)}
          </Table.Td>
          <Table.Td className="number">
            {counted.fragmentation === undefined ? (
              <span className="dimmed">-</span>
            ) : (
              <>
                {counted.fragmentation > MUCH ? (
                  <span title="Most of the free capacity is in parts too small for this flavor">! </span>
                ) : null}
                {counted.fragmentation.toFixed(2)}
              </>
            )}
          </Table.Td>
        </>
      )}
      <Table.Td className="number narrow">
        <PanelCall of={`How many more ${nameOfFlavor(flavor)} fit now`} document={FITS} variables={variables} />
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={`${isPinned ? 'Unpin' : 'Pin'} ${nameOfFlavor(flavor)}`}
          disabled={onPin === undefined}
          onClick={onPin}
        >
          {isPinned ? 'Unpin' : 'Pin'}
        </Button>
      </Table.Td>
    </Table.Tr>
  )
}
