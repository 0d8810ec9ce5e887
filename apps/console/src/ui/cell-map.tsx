import { useComputedColorScheme } from '@mantine/core'
import { useElementSize, useMergedRef } from '@mantine/hooks'
import { type KeyboardEvent, type MouseEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { type CellLayout, type CellPlace, cellAfterKey, cellAt, cellSizeFor, cornerOf, layoutCells } from './cell-layout.ts'
import { loadGradient, loadPixels } from './load-scale.ts'
import './cell-map.css'

export interface CellGroup {
  readonly key: string
  readonly label: string
  /** What stands beside the label: totals. */
  readonly summary: string
  /** The cells by number, in the order of drawing. */
  readonly cells: Uint32Array
}

export interface CellMapProps {
  /** Says to a screen reader what is drawn. */
  readonly label: string
  readonly groups: readonly CellGroup[]
  /** How full a cell is, 0..255. */
  shade(cell: number): number
  /** Drawn as a frame: what is special about it the legend says. */
  isHollow(cell: number): boolean
  /** One line about a cell, for the text under the map. */
  describe(cell: number): string
  /** Click or Enter. */
  onOpen(cell: number): void
  /** A click on the heading of a group. */
  onOpenGroup(key: string): void
  /** At most so high; it scrolls from there on. */
  readonly height: string
  /** What the colours mean. */
  readonly legend: { readonly full: string; readonly hollow: string }
}

/**
 * Equal cells, one per thing, coloured by load: any number of them, since only what is in sight is drawn. Arrows move a cursor,
 * Enter opens, a line of text tells about the cell; whoever uses it offers the same as a table.
 */
export function CellMap({ label, groups, shade, isHollow, describe, onOpen, onOpenGroup, height, legend }: CellMapProps) {
  const id = useId()
  const scheme = useComputedColorScheme('light')
  const { ref: measured, width, height: seen } = useElementSize<HTMLDivElement>()
  const scroller = useRef<HTMLDivElement>(null)
  const ref = useMergedRef(measured, scroller)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [scrollTop, setScrollTop] = useState(0)
  const [cursor, setCursor] = useState<number | undefined>()
  const [hovered, setHovered] = useState<number | undefined>()
  const [place, setPlace] = useState<CellPlace | undefined>()

  const total = groups.reduce((sum, { cells }) => sum + cells.length, 0)
  const layout = useMemo(
    () =>
      layoutCells(
        groups.map(({ cells }) => cells.length),
        width,
        cellSizeFor(total, width),
      ),
    [groups, width, total],
  )
  const pixels = useMemo(() => loadPixels(scheme), [scheme])

  useEffect(() => {
    if (canvas.current === null || width === 0 || seen === 0) return
    draw(canvas.current, { layout, groups, width, height: seen, scrollTop, pixels, shade, isHollow })
  }, [layout, groups, width, seen, scrollTop, pixels, shade, isHollow])

  // what is drawn moves as loads change: the cursor stays with its cell
  const current = cursor === undefined || place === undefined ? undefined : findCell(groups, cursor, place)
  const told = hovered ?? (current === undefined ? undefined : cursor)

  const pointed = (event: MouseEvent): number | undefined => {
    const box = event.currentTarget.getBoundingClientRect()
    const at = cellAt(layout, event.clientX - box.left, event.clientY - box.top + (scroller.current?.scrollTop ?? 0))
    return at === undefined ? undefined : groups[at.group]?.cells[at.index]
  }
  const press = (event: KeyboardEvent): void => {
    // the headings have an Enter of their own
    if (total === 0 || event.target !== event.currentTarget) return
    if (event.key === 'Enter' && current !== undefined && cursor !== undefined) onOpen(cursor)
    else {
      const next =
        current === undefined
          ? event.key.startsWith('Arrow')
            ? cellAfterKey(layout, { group: 0, index: 0 }, 'Home')
            : undefined
          : cellAfterKey(layout, current, event.key)
      if (next === undefined) return
      setPlace(next)
      setCursor(groups[next.group]?.cells[next.index])
      setHovered(undefined)
      bringIntoSight(scroller.current, layout, next)
    }
    event.preventDefault()
  }

  return (
    <div>
      <div className="g-map" style={{ height: `min(${height}, ${layout.height + 2}px)` }}>
        <canvas ref={canvas} aria-hidden />
        <div
          ref={ref}
          className="g-map-scroller"
          role="application"
          aria-label={`${label}. Arrows move, Enter opens.`}
          aria-describedby={id}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it has a cursor of its own
          tabIndex={0}
          onScroll={({ currentTarget }) => setScrollTop(currentTarget.scrollTop)}
          onKeyDown={press}
          onPointerMove={(event) => setHovered(pointed(event))}
          onPointerLeave={() => setHovered(undefined)}
          onClick={(event) => {
            const cell = pointed(event)
            if (cell !== undefined) onOpen(cell)
          }}
        >
          <div style={{ height: layout.height }}>
            {groups.map(({ key, label: name, summary }, i) => (
              <button
                key={key}
                type="button"
                className="g-map-heading"
                style={{ top: layout.groups[i]?.top ?? 0 }}
                onClick={() => onOpenGroup(key)}
              >
                <b>{name}</b> {summary}
              </button>
            ))}
            {current === undefined ? null : <Cursor layout={layout} place={current} />}
          </div>
        </div>
      </div>
      <div className="g-map-line" id={id} aria-live="polite" data-cell-line>
        {told === undefined ? `${label}.` : describe(told)}
      </div>
      <div className="g-legend">
        <span>0 %</span>
        <i style={{ background: loadGradient(scheme) }} aria-hidden />
        <span>{legend.full}</span>
        <i style={{ width: 12, border: '2px solid var(--mantine-color-text)' }} aria-hidden />
        <span>{legend.hollow}</span>
      </div>
    </div>
  )
}

function Cursor({ layout, place }: { readonly layout: CellLayout; readonly place: CellPlace }) {
  const { x, y } = cornerOf(layout, place)
  return <div className="g-map-cursor" style={{ left: x, top: y, width: layout.cell - 1, height: layout.cell - 1 }} />
}

/** Where a cell is now: at its old place most of the time. */
function findCell(groups: readonly CellGroup[], cell: number, { group, index }: CellPlace): CellPlace | undefined {
  if (groups[group]?.cells[index] === cell) return { group, index }
  const sameGroup = groups[group]?.cells.indexOf(cell) ?? -1
  if (sameGroup >= 0) return { group, index: sameGroup }
  for (const [other, { cells }] of groups.entries()) {
    const found = cells.indexOf(cell)
    if (found >= 0) return { group: other, index: found }
  }
  return undefined
}

function bringIntoSight(scroller: HTMLDivElement | null, layout: CellLayout, place: CellPlace): void {
  if (scroller === null) return
  const { y } = cornerOf(layout, place)
  if (y < scroller.scrollTop) scroller.scrollTop = place.index < layout.columns ? (layout.groups[place.group]?.top ?? y) : y
  else if (y + layout.cell > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = y + layout.cell - scroller.clientHeight
}

interface Picture extends Pick<CellMapProps, 'groups' | 'shade' | 'isHollow'> {
  readonly layout: CellLayout
  readonly width: number
  readonly height: number
  readonly scrollTop: number
  readonly pixels: Uint32Array
}

/** The whole part in sight, pixel by pixel: faster than thousands of rectangles, and never half old. */
function draw(canvas: HTMLCanvasElement, { layout, groups, width, height, scrollTop, pixels, shade, isHollow }: Picture): void {
  const ratio = window.devicePixelRatio || 1
  const columns = Math.max(1, Math.round(width * ratio))
  const rows = Math.max(1, Math.round(height * ratio))
  if (canvas.width !== columns || canvas.height !== rows) {
    canvas.width = columns
    canvas.height = rows
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
  }
  const context = canvas.getContext('2d')
  if (context === null) return
  const image = context.createImageData(columns, rows)
  const buffer = new Uint32Array(image.data.buffer)
  const gap = layout.cell >= 6 ? 1 : 0
  const frame = Math.max(1, Math.round((layout.cell >= 9 ? 2 : 1) * ratio))

  for (const [group, { cells }] of groups.entries()) {
    const cellsTop = layout.groups[group]?.cellsTop ?? 0
    const firstRow = Math.max(0, Math.floor((scrollTop - cellsTop) / layout.cell))
    const lastRow = Math.floor((scrollTop + height - cellsTop) / layout.cell)
    const end = Math.min(cells.length, (lastRow + 1) * layout.columns)
    for (let index = firstRow * layout.columns; index < end; index++) {
      const cell = cells[index] ?? 0
      const colour = pixels[shade(cell)] ?? 0
      const x = (index % layout.columns) * layout.cell
      const y = cellsTop + Math.floor(index / layout.columns) * layout.cell - scrollTop
      const left = Math.round(x * ratio)
      const right = Math.min(columns, Math.round((x + layout.cell - gap) * ratio))
      const top = Math.max(0, Math.round(y * ratio))
      const bottom = Math.min(rows, Math.round((y + layout.cell - gap) * ratio))
      const hollow = isHollow(cell)
      for (let line = top; line < bottom; line++) {
        const start = line * columns
        if (!hollow || line < Math.round(y * ratio) + frame || line >= Math.round((y + layout.cell - gap) * ratio) - frame)
          buffer.fill(colour, start + left, start + right)
        else {
          buffer.fill(colour, start + left, start + Math.min(right, left + frame))
          buffer.fill(colour, start + Math.max(left, right - frame), start + right)
        }
      }
    }
  }
  context.putImageData(image, 0, 0)
}
