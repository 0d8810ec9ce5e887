/** State and status in the API's words, each with a glyph: + for UP and ENABLED, ~ for SUSPECT and DRAINING, x for all others. */
export function HostState({ state, status }: { readonly state: string; readonly status: string }) {
  return (
    <>
      <Word word={state} /> <Word word={status} />
    </>
  )
}

function Word({ word }: { readonly word: string }) {
  const tone = toneOf(word)
  return (
    <span className="host-word" data-tone={tone}>
      <span aria-hidden>{glyphs[tone]} </span>
      {word.toLowerCase()}
    </span>
  )
}

const tones: Readonly<Record<string, 'good' | 'doubtful'>> = { UP: 'good', ENABLED: 'good', SUSPECT: 'doubtful', DRAINING: 'doubtful' }

/** How a state or status is marked, by a glyph and a colour. */
export const toneOf = (word: string): keyof typeof glyphs => tones[word] ?? 'bad'

export const glyphs = { good: '+', doubtful: '~', bad: 'x' } as const

/** True if the host is UP and ENABLED. SUSPECT hosts accept new instances too, but are not included. */
export const isOpen = ({ state, status }: { readonly state: string; readonly status: string }): boolean =>
  state === 'UP' && status === 'ENABLED'
