import { useComputedColorScheme } from '@mantine/core'
import { useElementSize, useMergedRef } from '@mantine/hooks'
import { type KeyboardEvent, type MouseEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { type Shortcut, useShortcuts } from '../../lib/browser/keys.ts'
import { type Frame, useFrame } from '../use-frame.ts'
import {
  type CellLayout,
  type CellPosition,
  cellAfterKey,
  cellAt,
  cellSizeFor,
  cellsWithin,
  cornerOf,
  layoutCells,
  type Point,
} from './cell-layout.ts'
import { type CellGroup, drawCells } from './draw-cells.ts'
import { type Backdrop, loadGradient, loadPixels } from './load-scale.ts'
import './cell-map.css'

export type { CellGroup } from './draw-cells.ts'

export interface CellMapProps {
  /** The description for screen readers. */
  readonly label: string
  readonly groups: readonly CellGroup[]
  /** The load of a cell, 0..255. */
  shade(cell: number): number
  /** 256 colours (ABGR) for the shades, if the map does not show load. The caller must then provide a legend. */
  colours?(backdrop: Backdrop): Uint32Array
  /** True if a cell is drawn as an empty frame. The legend explains the frames. */
  isHollow(cell: number): boolean
  /** One line about a cell, for the text under the map. */
  describe(cell: number): string
  /** Called for Enter and for a double click. Without `onPress`, it is called for a click too. */
  onOpen(cell: number): void
  /** Called for a click. */
  onPress?(cell: number): void
  /** Shows cells in the side panel. `onToggle` is called for the key `o`, and `onFollow` when the cursor moves while the panel is open. */
  readonly sidePanel?: { onToggle(cell: number): void; onFollow(cell: number): void } | undefined
  /** True if a cell is selected. */
  isChosen?(cell: number): boolean
  /**
   * Called when cells are selected. `only`: a frame replaces the selection. `added`: a frame adds to the selection. `toggled`: the key `x`
   * selects or deselects one cell.
   */
  onChoose?(cells: readonly number[], how: 'only' | 'added' | 'toggled'): void
  /** Called for a click on the heading of a group. */
  onOpenGroup(key: string): void
  /** The maximum height. A map that is higher scrolls. */
  readonly height: string
  /** The meaning of the colours. */
  readonly legend: { readonly empty: string; readonly full: string; readonly hollow: string }
}

/**
 * A map with a cell for each object, coloured by load. Only visible cells are drawn, so a map can have any number of cells. Arrow keys move
 * a cursor, Enter opens the cell at the cursor, and a click moves the cursor. A line of text describes the cell. The caller must also offer
 * the data as a table.
 */
export function CellMap({
  label,
  groups,
  shade,
  colours = loadPixels,
  isHollow,
  describe,
  onOpen,
  onPress = onOpen,
  sidePanel,
  onOpenGroup,
  isChosen,
  onChoose,
  height,
  legend,
}: CellMapProps) {
  const id = useId()
  const scheme = useComputedColorScheme('light')
  const { ref: measured, width, height: seen } = useElementSize<HTMLDivElement>()
  const scroller = useRef<HTMLDivElement>(null)
  const ref = useMergedRef(measured, scroller)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [scrollTop, setScrollTop] = useState(0)
  const [cursor, setCursor] = useState<number | undefined>()
  const [hovered, setHovered] = useState<number | undefined>()
  const [position, setPosition] = useState<CellPosition | undefined>()
  const [hasFocus, setFocus] = useState(false)
  const pressed = useRef<{ readonly at: Point; readonly cell: number } | undefined>(undefined)

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
  const pixels = useMemo(() => colours(scheme), [colours, scheme])

  useEffect(() => {
    if (canvas.current === null || width === 0 || seen === 0) return
    drawCells(canvas.current, { layout, groups, width, height: seen, scrollTop, pixels, shade, isHollow, isChosen })
  }, [layout, groups, width, seen, scrollTop, pixels, shade, isHollow, isChosen])

  // when loads change, cells move, and the cursor stays on its cell
  const current = cursor === undefined || position === undefined ? undefined : findCell(groups, cursor, position)
  const shownCell = hovered ?? (current === undefined ? undefined : cursor)

  const pointOf = (event: MouseEvent): Point => {
    const box = event.currentTarget.getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top + (scroller.current?.scrollTop ?? 0) }
  }
  const { frame, handlers, endsFrame, cancel } = useFrame(pointOf, ({ from, to }, isAdded) => {
    const cells = cellsWithin(layout, from, to).flatMap(({ group, index }) => groups[group]?.cells[index] ?? [])
    onChoose?.(cells, isAdded ? 'added' : 'only')
  })
  const cellOf = (at: CellPosition | undefined): number | undefined => (at === undefined ? undefined : groups[at.group]?.cells[at.index])
  /**
   * The cell that a click means. A click can move the cells, for example by opening the side panel. A second click at the same point then
   * means the same cell as the first click.
   */
  const positionOf = (event: MouseEvent): CellPosition | undefined => {
    const { x, y } = pointOf(event)
    const under = cellAt(layout, x, y)
    const last = pressed.current
    if (last === undefined) return under
    if (Math.hypot(event.clientX - last.at.x, event.clientY - last.at.y) <= STAYS) return findCell(groups, last.cell, under) ?? under
    pressed.current = undefined
    return under
  }
  const putCursor = (next: CellPosition): void => {
    setPosition(next)
    setCursor(cellOf(next))
  }
  const shortcuts: Shortcut[] = []
  if (current !== undefined && cursor !== undefined) {
    if (sidePanel !== undefined)
      shortcuts.push({ keys: 'o', label: 'Show or hide the cell in the side panel', run: () => sidePanel.onToggle(cursor) })
    if (onChoose !== undefined)
      shortcuts.push({ keys: 'x', label: 'Select or deselect the cell', run: () => onChoose([cursor], 'toggled') })
  }
  useShortcuts(shortcuts)
  const press = (event: KeyboardEvent): void => {
    // the headings handle Enter themselves
    if (total === 0 || event.target !== event.currentTarget) return
    // keys with Ctrl, Meta or Alt are shortcuts of the browser
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Enter' && current !== undefined && cursor !== undefined) onOpen(cursor)
    else if (event.key === 'Escape' && frame !== undefined) cancel()
    else {
      // if there is no cursor, an arrow key moves it to the first cell
      const key = current === undefined && event.key.startsWith('Arrow') ? 'Home' : event.key
      const next = cellAfterKey(layout, current ?? { group: 0, index: 0 }, key)
      if (next === undefined) return
      pressed.current = undefined
      putCursor(next)
      setHovered(undefined)
      scrollIntoView(scroller.current, layout, next)
      const cell = cellOf(next)
      if (cell !== undefined) sidePanel?.onFollow(cell)
    }
    event.preventDefault()
  }

  return (
    <div>
      {hasFocus ? <Keys shortcuts={shortcuts} /> : null}
      <div className="g-map" style={{ height: `min(${height}, ${layout.height + 2}px)` }}>
        <canvas ref={canvas} aria-hidden />
        <div
          ref={ref}
          className="g-map-scroller"
          role="application"
          aria-label={`${label}. Arrows move, Enter opens${sidePanel === undefined ? '' : ', o opens the side panel'}${onChoose === undefined ? '' : ', x chooses'}.`}
          aria-describedby={id}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it has a cursor of its own
          tabIndex={0}
          onScroll={({ currentTarget }) => setScrollTop(currentTarget.scrollTop)}
          onKeyDown={press}
          onFocus={(event) => setFocus(event.target === event.currentTarget)}
          onBlur={() => setFocus(false)}
          onWheel={() => {
            pressed.current = undefined
          }}
          {...(onChoose === undefined ? {} : handlers)}
          onPointerMove={(event) => {
            setHovered(cellOf(positionOf(event)))
            if (onChoose !== undefined) handlers.onPointerMove(event)
          }}
          onPointerLeave={() => setHovered(undefined)}
          onClick={(event) => {
            const at = positionOf(event)
            const cell = cellOf(at)
            if (at === undefined || cell === undefined || endsFrame()) return
            const isDoubleClick = event.detail > 1 && pressed.current?.cell === cell
            pressed.current = { at: { x: event.clientX, y: event.clientY }, cell }
            putCursor(at)
            if (onChoose !== undefined && (event.ctrlKey || event.metaKey || event.shiftKey)) onChoose([cell], 'toggled')
            else if (isDoubleClick) onOpen(cell)
            else onPress(cell)
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
            {current === undefined ? null : <Cursor layout={layout} position={current} />}
            {frame === undefined ? null : <div className="g-map-frame" style={boxOf(frame)} />}
          </div>
        </div>
      </div>
      <div className="g-map-line" id={id} aria-live="polite" data-cell-line>
        {shownCell === undefined ? `${label}.` : describe(shownCell)}
      </div>
      <div className="g-legend">
        {colours === loadPixels ? (
          <>
            <span>{legend.empty}</span>
            <i style={{ background: loadGradient(scheme) }} aria-hidden />
            <span>{legend.full}</span>
          </>
        ) : null}
        <i style={{ width: 12, border: '2px solid var(--mantine-color-text)' }} aria-hidden />
        <span>{legend.hollow}</span>
      </div>
    </div>
  )
}

/** Registers the keys again while the map has the focus, so that they take precedence over the same keys of a table. */
function Keys({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  useShortcuts(shortcuts)
  return null
}

/** Two clicks are at the same point if the pointer moved at most this many pixels between them. */
const STAYS = 2

const boxOf = ({ from, to }: Frame) => ({
  left: Math.min(from.x, to.x),
  top: Math.min(from.y, to.y),
  width: Math.abs(from.x - to.x),
  height: Math.abs(from.y - to.y),
})

function Cursor({ layout, position }: { readonly layout: CellLayout; readonly position: CellPosition }) {
  const { x, y } = cornerOf(layout, position)
  return <div className="g-map-cursor" style={{ left: x, top: y, width: layout.cell - 1, height: layout.cell - 1 }} />
}

/** Finds the present index of a cell. The search starts at its previous index, because most cells do not move. */
function findCell(
  groups: readonly CellGroup[],
  cell: number,
  { group, index }: CellPosition = { group: 0, index: 0 },
): CellPosition | undefined {
  if (groups[group]?.cells[index] === cell) return { group, index }
  const sameGroup = groups[group]?.cells.indexOf(cell) ?? -1
  if (sameGroup >= 0) return { group, index: sameGroup }
  for (const [other, { cells }] of groups.entries()) {
    const found = cells.indexOf(cell)
    if (found >= 0) return { group: other, index: found }
  }
  return undefined
}

function scrollIntoView(scroller: HTMLDivElement | null, layout: CellLayout, position: CellPosition): void {
  if (scroller === null) return
  const { y } = cornerOf(layout, position)
  if (y < scroller.scrollTop) scroller.scrollTop = position.index < layout.columns ? (layout.groups[position.group]?.top ?? y) : y
  else if (y + layout.cell > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = y + layout.cell - scroller.clientHeight
}
