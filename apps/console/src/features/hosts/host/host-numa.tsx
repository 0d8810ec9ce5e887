import { Text } from '@mantine/core'
import { formatCount, formatMib, formatPercent } from '../../../lib/format.ts'
import { Meter } from '../../../ui/chart/meter.tsx'
import type { HostDetail } from '../host-usage.tsx'
import { toRanges } from './cpu-ranges.ts'
import { type CpuState, cpuStates, statesOf } from './cpu-states.ts'

type Cell = NonNullable<HostDetail['numa']>['cells'][number]
type Pool = HostDetail['pciPools'][number]

interface HostNumaProps {
  readonly cells: readonly Cell[]
  /** All PCI devices of the host. Devices that are attached to a cell are shown in the box of the cell. */
  readonly pools: readonly Pool[]
}

/** The NUMA cells as boxes, with the states of their CPUs, the usage of memory and pages, and the attached devices. */
export function HostNuma({ cells, pools }: HostNumaProps) {
  return (
    <>
      <Text size="xs" mb={4} aria-hidden className="cpu-key">
        {cpuStates.map((state) => (
          <span key={state}>
            <i data-cpu={state} /> {stateNames[state]}
          </span>
        ))}
      </Text>
      <div className="boxes">
        {cells.map((cell) => (
          <NumaCell key={cell.id} cell={cell} pools={pools.filter(({ numaNode }) => numaNode === cell.id)} />
        ))}
      </div>
    </>
  )
}

const shortNames: Readonly<Record<CpuState, string>> = { pinned: 'dedicated', shared: 'shared', free: 'free' }

const stateNames: Readonly<Record<CpuState, string>> = {
  pinned: 'dedicated to one instance',
  shared: 'shared by instances',
  free: 'free',
}

function NumaCell({ cell, pools }: { readonly cell: Cell; readonly pools: readonly Pool[] }) {
  const { id, cpusUsed, cpusFree, memoryMb, memoryUsedMb, memoryFreeMb, pages } = cell
  const states = [...statesOf(cell)]
  return (
    <section className="box" aria-label={`NUMA cell ${id}`}>
      <Text size="sm" fw={600} component="h3">
        Cell {id}
      </Text>
      <div className="cpu-grid" aria-hidden>
        {states.map(([cpu, state]) => (
          <i key={cpu} data-cpu={state} title={`CPU ${cpu}: ${stateNames[state]}`} />
        ))}
      </div>
      <Text size="xs">
        {formatCount(states.length)} CPUs{states.length === 0 ? '' : ': '}
        {cpuStates.flatMap((state) => inWords(state, states)).join(', ')}. Shared vCPUs: {formatCount(cpusUsed)} used or claimed,{' '}
        {formatCount(cpusFree)} free, overcommit included.
      </Text>
      <Filled
        of={memoryMb}
        used={memoryUsedMb}
        title={`${formatCount(memoryUsedMb)} of ${formatCount(memoryMb)} MiB`}
        text={`Memory: ${formatMib(memoryUsedMb)} of ${formatMib(memoryMb)} used or claimed${percentOf(memoryUsedMb, memoryMb)}, ${formatMib(memoryFreeMb)} free.`}
      />
      {pages.map(({ sizeKib, total, reserved, used, free }) => (
        <Filled
          key={sizeKib}
          of={total - reserved}
          used={used}
          text={`Pages of ${sizeInWords(sizeKib)}: ${formatCount(used)} of ${formatCount(total - reserved)} used or claimed${percentOf(used, total - reserved)}, ${formatCount(free)} free${reserved === 0 ? '' : `, ${formatCount(reserved)} more reserved`}.`}
        />
      ))}
      {pools.map(({ key, vendorId, productId, deviceType, total, free }) => (
        <Filled
          key={key}
          of={total}
          used={total - free}
          text={`PCI ${vendorId}:${productId}${deviceType === null ? '' : `, ${deviceType}`}: ${formatCount(free)} of ${formatCount(total)} free.`}
        />
      ))}
    </section>
  )
}

/** The count and the numbers of the CPUs in this state. Empty if no CPU is in this state. */
const inWords = (wanted: CpuState, states: readonly (readonly [number, CpuState])[]): readonly string[] => {
  const cpus = states.flatMap(([cpu, state]) => (state === wanted ? [cpu] : []))
  return cpus.length === 0 ? [] : [`${formatCount(cpus.length)} ${shortNames[wanted]} (${toRanges(cpus)})`]
}

const sizeInWords = (kib: number): string => (kib % 1_024 === 0 ? formatMib(kib / 1_024) : `${formatCount(kib)} KiB`)

const percentOf = (used: number, of: number): string => (of > 0 ? ` (${formatPercent((100 * used) / of)})` : '')

interface FilledProps {
  readonly of: number
  readonly used: number
  readonly text: string
  readonly title?: string
}

/** A bar for the used share of an amount, with the amounts as text. */
function Filled({ of, used, text, title }: FilledProps) {
  return (
    <div>
      <Meter parts={[{ share: of > 0 ? used / of : 0, tone: used > of ? 'problem' : 'used' }]} />
      <Text size="xs" title={title} style={{ overflowWrap: 'anywhere' }}>
        {text}
      </Text>
    </div>
  )
}

/** Each GPU with its free share. */
export function HostGpus({ gpus }: { readonly gpus: HostDetail['gpus'] }) {
  return (
    <div className="boxes">
      {gpus.map(({ index, model, freeMilli }) => (
        <section key={index} className="box" aria-label={`GPU ${index}`}>
          <Text size="sm" fw={600} component="h3">
            GPU {index}
          </Text>
          <Meter parts={[{ share: 1 - freeMilli / 1_000, tone: 'used' }]} />
          <Text size="xs" title={`${formatCount(freeMilli)} thousandths`}>
            {model === null ? '' : `${model}, `}
            {freeMilli === 1_000 ? 'idle' : `${formatPercent(freeMilli / 10)} free`}
          </Text>
        </section>
      ))}
    </div>
  )
}
