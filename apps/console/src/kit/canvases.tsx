import { BrushBars } from '../ui/chart/brush-bars.tsx'
import { CellMap } from '../ui/chart/cell-map.tsx'
import { MatrixStrip } from '../ui/chart/matrix-strip.tsx'
import { StepChart, type StepLine, StepSample } from '../ui/chart/step-chart.tsx'
import type { Tone } from '../ui/chart/strip-layout.ts'
import { nothing } from './samples.ts'
import type { Story } from './story.ts'

const cells = (from: number, count: number) => Uint32Array.from({ length: count }, (_, i) => from + i)

const map = (label: string, counts: readonly number[]) => (
  <CellMap
    label={label}
    groups={counts.map((count, g) => ({
      key: `az${g + 1}`,
      label: `az${g + 1}`,
      summary: `${count} hosts`,
      cells: cells(g * 100_000, count),
    }))}
    shade={(cell) => (cell * 37) % 256}
    isHollow={(cell) => cell % 11 === 0}
    isChosen={(cell) => cell % 17 === 0}
    describe={(cell) => `cmp-${cell}: ${(cell * 37) % 100} % of its memory is used`}
    onOpen={nothing}
    onOpenGroup={nothing}
    height="220px"
    legend={{ empty: 'empty', full: 'full', hollow: 'not up' }}
  />
)

const tones: readonly Tone[] = ['pass', 'fail', 'skipped']
const strip = (label: string, count: number) => (
  <MatrixStrip
    label={label}
    rows={['ComputeFilter', 'RamFilter', 'NUMATopologyFilter']}
    count={count}
    groups={[0, Math.floor(count / 2)]}
    toneAt={(column, row) => tones[(column * 7 + row) % 3] as Tone}
    isFaded={(column) => column % 5 === 0}
    describe={(column, row) => `cmp-${column}, filter ${row + 1}`}
    onOpen={nothing}
  />
)

const bars = (label: string, counts: readonly number[], below?: string) => (
  <BrushBars
    label={label}
    bars={counts.map((count, i) => ({
      key: String(i),
      parts: [
        { className: 'g-colour-0', count },
        { className: 'g-colour-1', count: count % 3 },
      ],
    }))}
    ends={['09:00', '10:00']}
    describe={(from, to) => `${label}, from place ${from} to ${to}`}
    onBrush={nothing}
  >
    {below}
  </BrushBars>
)

const line = (name: string, look: number, most: number) => ({
  name,
  look,
  points: Array.from({ length: 11 }, (_, i) => ({ x: i * 5, y: Math.min(most, i * 5) })),
})
const chart = (label: string, lines: readonly StepLine[]) => (
  <StepChart label={label} lines={lines} most={{ x: 50, y: 50 }} cursor={20} onCursor={nothing} />
)

/** Charts that are drawn on a canvas or with shapes. */
export const canvases: readonly Story[] = [
  {
    of: 'brush-bars',
    states: {
      'several groups, some of them empty': bars('Groups with and without bars', [3, 0, 8, 20, 1, 0, 5]),
      'all empty': bars('Empty bars', [0, 0, 0]),
      'with further drawings along the axis': bars('Bars and more', [3, 8, 5], 'more along the axis'),
    },
  },
  {
    of: 'step-chart',
    states: {
      'three lines and their styles': (
        <>
          {chart('Three lines', [line('one', 0, 20), line('two', 1, 35), line('three', 2, 50)])}
          {[0, 1, 2].map((look) => (
            <StepSample key={look} look={look} />
          ))}
        </>
      ),
      'no line': chart('No lines', []),
    },
  },
  {
    of: 'cell-map',
    states: {
      'three zones': map('Fifty-five hosts', [40, 12, 3]),
      'ten thousand': map('Ten thousand hosts', [6_000, 4_000]),
      none: map('No hosts', []),
    },
  },
  {
    of: 'matrix-strip',
    states: {
      'fewer columns than pixels': strip('Sixty verdicts', 60),
      'several columns per pixel': strip('Ten thousand verdicts', 10_000),
      none: strip('No verdicts', 0),
    },
  },
]
