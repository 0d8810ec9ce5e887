import { Text, useComputedColorScheme } from '@mantine/core'
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { type FilterPlace, type Matrix, sortHosts, verdictAt } from './matrix.ts'

interface MatrixStripProps {
  readonly matrix: Matrix
  readonly filters: readonly FilterPlace[]
  readonly all: boolean
  onOpen(host: string): void
}

const WIDTH = 1_600
const ROW = 6
/** Pass, fail, skipped, as red, green, blue; each pair differs in brightness too. */
const colours = {
  light: { pass: [163, 207, 170], fail: [176, 42, 42], skipped: [236, 239, 242] },
  dark: { pass: [47, 92, 56], fail: [255, 135, 135], skipped: [45, 50, 56] },
} as const

/**
 * All hosts at a glance: one column each (or several hosts to a column, the worst verdict showing), one row per filter,
 * ordered by the first filter that refuses. The table below is its twin in words.
 */
export function MatrixStrip({ matrix, filters, all, onOpen }: MatrixStripProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const scheme = useComputedColorScheme('light')
  const [cursor, setCursor] = useState<number | undefined>()
  const hosts = useMemo(() => groupByFirst(matrix), [matrix])

  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context || filters.length === 0) return
    const image = context.createImageData(WIDTH, filters.length * ROW)
    for (const [row, filter] of filters.entries())
      for (let x = 0; x < WIDTH; x++) {
        const [red, green, blue] = colours[scheme][worstAt(matrix, hosts, x, filter, all)]
        // the last line of a row stays empty, so that rows are told apart
        for (let y = row * ROW; y < row * ROW + ROW - 1; y++) image.data.set([red, green, blue, 255], 4 * (y * WIDTH + x))
      }
    context.putImageData(image, 0, 0)
  }, [matrix, filters, all, hosts, scheme])

  if (filters.length === 0 || hosts.length === 0) return null
  const host = cursor === undefined ? undefined : hosts[cursor]
  const move = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1, PageDown: 100, PageUp: -100 }
    const step = steps[event.key]
    if (step !== undefined) setCursor(clamp((cursor ?? -1) + step, hosts.length))
    else if (event.key === 'Home') setCursor(0)
    else if (event.key === 'End') setCursor(hosts.length - 1)
    else if (event.key === 'Enter' && host !== undefined) onOpen(matrix.nameOf(host))
    else return
    event.preventDefault()
  }
  const point = ({ currentTarget, clientX }: PointerEvent<HTMLCanvasElement>): void => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setCursor(clamp(Math.floor(((clientX - left) / width) * hosts.length), hosts.length))
  }

  return (
    <div className="strip">
      <canvas
        ref={canvas}
        width={WIDTH}
        height={filters.length * ROW}
        role="img"
        tabIndex={0}
        aria-label={`${hosts.length} hosts by ${filters.length} filters, ordered by the first filter that refuses. Arrows move, Enter asks why.`}
        onKeyDown={move}
        onPointerMove={point}
        onClick={() => host !== undefined && onOpen(matrix.nameOf(host))}
      />
      <Text size="xs" c="dimmed" aria-live="polite" className="strip-line">
        {host === undefined ? 'Move over the strip, or focus it and use the arrows.' : describe(matrix, filters, host)}
      </Text>
    </div>
  )
}

/** By the first filter that refuses, those that pass last; nearest first among equals. */
function groupByFirst(matrix: Matrix): number[] {
  const hosts = sortHosts(matrix, [...Array(matrix.hostCount).keys()], 'distance')
  return hosts.sort((a, b) => (matrix.firstFailing[a] ?? 0) - (matrix.firstFailing[b] ?? 0))
}

/** What a pixel shows: of the hosts that share it, a refusal before anything else. */
function worstAt(matrix: Matrix, hosts: readonly number[], x: number, filter: FilterPlace, all: boolean): 'pass' | 'fail' | 'skipped' {
  const from = Math.floor((x * hosts.length) / WIDTH)
  const to = Math.max(from + 1, Math.floor(((x + 1) * hosts.length) / WIDTH))
  let seen: 'pass' | 'skipped' = 'skipped'
  for (let place = from; place < to; place++) {
    const verdict = verdictAt(matrix, hosts[place] ?? 0, filter, all)
    if (verdict === 'fail') return 'fail'
    if (verdict === 'pass') seen = 'pass'
  }
  return seen
}

function describe(matrix: Matrix, filters: readonly FilterPlace[], host: number): string {
  const refusing = filters.filter(({ index }) => matrix.refuses(host, index)).map(({ name }) => name)
  return `${matrix.nameOf(host)}: ${refusing.length === 0 ? `passes, rank ${matrix.rank[host]}` : `refused by ${refusing.join(', ')}`}`
}

const clamp = (place: number, count: number): number => Math.max(0, Math.min(count - 1, place))
