import { Text } from '@mantine/core'
import { formatCount, formatMib, formatPercent } from '../../lib/format.ts'
import { Meter } from '../../ui/meter.tsx'
import { toRanges } from './cpu-ranges.ts'
import type { HostDetail } from './host-usage.tsx'

type Cell = NonNullable<HostDetail['numa']>['cells'][number]

/** The NUMA cells as boxes: which CPUs are given away whole, and how full the cell's memory is. */
export function HostNuma({ cells }: { readonly cells: readonly Cell[] }) {
  return (
    <div className="boxes">
      {cells.map((cell) => (
        <NumaCell key={cell.id} cell={cell} />
      ))}
    </div>
  )
}

function NumaCell({ cell }: { readonly cell: Cell }) {
  const { id, cpus, pinned, cpusFree, memoryMb, memoryUsedMb, memoryFreeMb } = cell
  const isPinned = new Set(pinned)
  return (
    <section className="box" aria-label={`NUMA cell ${id}`}>
      <Text size="sm" fw={600} component="h3">
        Cell {id}
      </Text>
      <div className="cpu-grid" aria-hidden>
        {cpus.map((cpu) => (
          <i
            key={cpu}
            data-pinned={isPinned.has(cpu)}
            title={`CPU ${cpu}: ${isPinned.has(cpu) ? 'one instance has it for itself' : 'shared'}`}
          />
        ))}
      </div>
      <Text size="xs">
        {formatCount(cpus.length)} CPUs ({toRanges(cpus)});{' '}
        {pinned.length === 0 ? 'none pinned' : `${formatCount(pinned.length)} pinned (${toRanges(pinned)})`}; {formatCount(cpusFree)} shared
        CPUs free, overcommit included.
      </Text>
      <Meter parts={[{ share: memoryMb > 0 ? memoryUsedMb / memoryMb : 0, tone: 'used' }]} />
      <Text size="xs" title={`${formatCount(memoryUsedMb)} of ${formatCount(memoryMb)} MiB`}>
        Memory: {formatMib(memoryUsedMb)} of {formatMib(memoryMb)} used or claimed
        {memoryMb > 0 ? ` (${formatPercent((100 * memoryUsedMb) / memoryMb)})` : ''}, {formatMib(memoryFreeMb)} free.
      </Text>
    </section>
  )
}

/** Each GPU with the share of it that is free. */
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
