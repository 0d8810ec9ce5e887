import type { Replica } from './compare.ts'
import { lagOf, pathOf } from './lag.ts'
import './lag-line.css'

const WIDTH = 24
const HEIGHT = 14

/** The lag of a replica in the last ten minutes, as a chart and as text. */
export function LagLine({ replica }: { readonly replica: Replica }) {
  const lag = lagOf(replica)
  if (lag === undefined) return <>no heartbeat</>
  return (
    <span className="lag-line" title={lag.text}>
      <svg viewBox={`-1 -1 ${WIDTH + 2} ${HEIGHT + 2}`} width={WIDTH} height={HEIGHT} aria-hidden>
        <path d={pathOf(lag, WIDTH, HEIGHT)} />
      </svg>{' '}
      {lag.text}
    </span>
  )
}
