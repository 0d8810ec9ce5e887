import { type PointerEvent, useRef, useState } from 'react'
import type { Point } from './chart/cell-layout.ts'

/** A rectangle that is drawn with the pointer, given by two opposite corners. */
export interface Frame {
  readonly from: Point
  readonly to: Point
}

/** A press becomes a selection frame when the pointer has moved this many pixels. */
const BEGINS_AFTER = 4

/** A hook that lets the user draw frames over an element. `pointOf` returns the position of an event within the element. */
export function useFrame<Over extends Element>(
  pointOf: (event: PointerEvent<Over>) => Point,
  onDone: (frame: Frame, isAdded: boolean) => void,
) {
  const [frame, setFrame] = useState<Frame | undefined>()
  const pressed = useRef<Point | undefined>(undefined)
  /** True if a frame was just drawn. The browser then reports a click, which must not be handled as a click on the element. */
  const isOver = useRef(false)
  const cancel = (): void => {
    pressed.current = undefined
    setFrame(undefined)
  }
  return {
    frame,
    cancel,
    /** True if a click ends a selection frame. It must be called once for each click. */
    endsFrame: (): boolean => {
      const ends = isOver.current
      isOver.current = false
      return ends
    },
    handlers: {
      onPointerDown: (event: PointerEvent<Over>): void => {
        isOver.current = false
        // A touch must scroll the page and not draw a frame. A press on a button, such as a sortable heading, belongs to the button.
        const isOther = event.target instanceof Element && event.target.closest('button') !== null
        if (event.button === 0 && event.pointerType !== 'touch' && !isOther) pressed.current = pointOf(event)
      },
      onPointerMove: (event: PointerEvent<Over>): void => {
        const from = pressed.current
        if (from === undefined) return
        const to = pointOf(event)
        if (frame === undefined && Math.hypot(to.x - from.x, to.y - from.y) < BEGINS_AFTER) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setFrame({ from, to })
      },
      onPointerUp: (event: PointerEvent<Over>): void => {
        if (frame !== undefined) {
          isOver.current = true
          onDone({ from: frame.from, to: pointOf(event) }, event.shiftKey || event.ctrlKey || event.metaKey)
        }
        cancel()
      },
      onPointerCancel: cancel,
    },
  }
}
