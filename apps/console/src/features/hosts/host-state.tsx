/** State and status in the API's words, each with a glyph: + takes instances, ~ in doubt, x does not. */
export function HostState({ state, status }: { readonly state: string; readonly status: string }) {
  return (
    <>
      <Word word={state} good="UP" doubtful="SUSPECT" /> <Word word={status} good="ENABLED" doubtful="DRAINING" />
    </>
  )
}

function Word({ word, good, doubtful }: { readonly word: string; readonly good: string; readonly doubtful: string }) {
  const tone = word === good ? 'good' : word === doubtful ? 'doubtful' : 'bad'
  return (
    <span className="host-word" data-tone={tone}>
      <span aria-hidden>{glyphs[tone]} </span>
      {word.toLowerCase()}
    </span>
  )
}

const glyphs = { good: '+', doubtful: '~', bad: 'x' } as const

/** Whether it takes new instances as far as its state and status tell. */
export const isOpen = ({ state, status }: { readonly state: string; readonly status: string }): boolean =>
  state === 'UP' && status === 'ENABLED'
