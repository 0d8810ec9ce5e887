import { useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react'
import { columnAfterKey, columnAt, edgesOf, runsOf, type Tone } from './strip-layout.ts'
import './matrix-strip.css'

export interface MatrixStripProps {
  /** The description for screen readers. */
  readonly label: string
  /** The names of the lines, from top to bottom. */
  readonly rows: readonly string[]
  /** The count of columns. All columns together fill the width. */
  readonly count: number
  /** The index of the first column of each group. The first group begins at 0. */
  readonly groups: readonly number[]
  toneAt(column: number, row: number): Tone
  /** True if a column is drawn pale because it does not match the filter. */
  isFaded(column: number): boolean
  /** The description of a cell, as a line of text. */
  describe(column: number, row: number): string
  /** Called for a click or Enter. */
  onOpen(column: number): void
}

const ROW = 14
/**
 * The heights of cells: high for a refusal, low for a pass, a line for "not evaluated". So verdicts can be distinguished without colours.
 */
const heights: Readonly<Record<Tone, number>> = { fail: 12, pass: 6, skipped: 1 }
const variables: Readonly<Record<Tone, string>> = { fail: '--gantt-fail', pass: '--gantt-pass', skipped: '--gantt-idle' }

/**
 * Draws a whole matrix in a small picture. Its columns are drawn from left to right. If several columns share a pixel, a refusal takes
 * precedence. Arrow keys move a cursor, PageUp and PageDown move it by groups, and Enter opens the column at the cursor. A line of text
 * describes the cell. The caller must also offer the data as a table.
 */
export function MatrixStrip({ label, rows, count, groups, toneAt, isFaded, describe, onOpen }: MatrixStripProps) {
  const id = useId()
  const scheme = useComputedColorScheme('light')
  const { ref, width } = useElementSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [cursor, setCursor] = useState<readonly [column: number, row: number] | undefined>()
  const [hovered, setHovered] = useState<readonly [column: number, row: number] | undefined>()
  const height = rows.length * ROW

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours depend on the colour scheme
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context || width === 0) return
    const ratio = window.devicePixelRatio || 1
    const pixels = Math.round(width * ratio)
    context.canvas.width = pixels
    context.canvas.height = Math.round(height * ratio)
    const style = getComputedStyle(context.canvas)
    for (let row = 0; row < rows.length; row++)
      for (const { from, to, tone, faded } of runsOf({ count, pixels, groups, toneAt: (column) => toneAt(column, row), isFaded })) {
        const tall = heights[tone] * ratio
        context.globalAlpha = faded ? 0.25 : 1
        context.fillStyle = style.getPropertyValue(variables[tone])
        context.fillRect(from, (row + 0.5) * ROW * ratio - tall / 2, to - from, tall)
      }
  }, [width, height, rows, count, groups, toneAt, isFaded, scheme])

  const inside = cursor !== undefined && cursor[0] < count && cursor[1] < rows.length ? cursor : undefined
  const shownHost = hovered ?? inside
  const pointed = ({ currentTarget, clientX, clientY }: MouseEvent): readonly [number, number] => {
    const box = currentTarget.getBoundingClientRect()
    const row = Math.max(0, Math.min(rows.length - 1, Math.floor((clientY - box.top) / ROW)))
    return [columnAt(clientX - box.left, box.width, count), row]
  }
  const press = (event: KeyboardEvent): void => {
    const [column, row] = inside ?? [-1, 0]
    if (event.key === 'Enter' && column >= 0) onOpen(column)
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
      setCursor([Math.max(0, column), Math.max(0, Math.min(rows.length - 1, row + (event.key === 'ArrowDown' ? 1 : -1)))])
    else {
      const next = columnAfterKey(event.key, column, count, groups)
      if (next === undefined) return
      setCursor([next, row])
    }
    setHovered(undefined)
    event.preventDefault()
  }

  return (
    <div className="g-strip">
      <ul className="g-strip-rows" aria-hidden>
        {rows.map((row, i) => (
          <li key={row} data-shown={shownHost?.[1] === i || undefined} title={row}>
            {row}
          </li>
        ))}
      </ul>
      <div
        ref={ref}
        className="g-strip-cells"
        role="application"
        aria-label={`${label}. Arrows move, PageDown goes to the next group, Enter opens.`}
        aria-describedby={id}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it has a cursor of its own
        tabIndex={0}
        style={{ height }}
        onKeyDown={press}
        onPointerMove={(event) => setHovered(pointed(event))}
        onPointerLeave={() => setHovered(undefined)}
        onClick={(event) => onOpen(pointed(event)[0])}
      >
        <canvas ref={canvas} aria-hidden style={{ width: '100%', height }} />
        {shownHost === undefined || width === 0 ? null : <Cursor edges={edgesOf(shownHost[0], width, count)} row={shownHost[1]} />}
      </div>
      <div className="g-strip-line" id={id} aria-live="polite" data-strip-line>
        {shownHost === undefined
          ? 'Point at the strip, or focus it and use the arrows: each column is a host.'
          : describe(shownHost[0], shownHost[1])}
      </div>
    </div>
  )
}

function Cursor({ edges: [from, to], row }: { readonly edges: readonly [number, number]; readonly row: number }) {
  return <div className="g-strip-cursor" style={{ left: from, width: Math.max(3, to - from), top: row * ROW, height: ROW }} />
}
